/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A completion queue: entries that the card writes into memory of the program. */
#ifndef QUEUE_H
#define QUEUE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"
#include "lock.h"

struct queue {
	struct ibv_cq cq; /* the pointer of the program; first member */
	struct ibv_cq *real;
	struct lock lock; /* of the polling thread */
	uint32_t handle, mask;
	uint64_t taken;
	struct card_ring *ring;
	struct card_cqe *entries;
	volatile uint64_t *doorbells;
	size_t bytes;
	_Atomic uint32_t events_taken, async_taken; /* by the program */
};

static inline struct queue *queue_of(struct ibv_cq *cq)
{
	return (struct queue *)cq;
}

/* Drop the entries of a queue pair. */
void queue_forget(struct queue *q, uint64_t cookie);

/* The data path of struct ibv_context. */
int queue_poll(struct ibv_cq *cq, int room, struct ibv_wc *wc);
int queue_arm(struct ibv_cq *cq, int solicited_only);

#endif
