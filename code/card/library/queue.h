/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A completion queue: entries that the card writes into memory of the program. */
#ifndef QUEUE_H
#define QUEUE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"
#include "lock.h"

/* What a program may read of an entry after ibv_start_poll(). */
#define QUEUE_READS (IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

struct queue {
	union { /* the pointer of the program; first member */
		struct ibv_cq cq;
		struct ibv_cq_ex more; /* for ibv_start_poll(), if the program asked for that */
	};
	struct ibv_cq *real;
	struct lock lock; /* of the polling thread */
	uint32_t handle, mask;
	uint64_t taken;
	const struct card_cqe *entry; /* since ibv_start_poll(): the one that the program reads */
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

/* Create a queue with more attributes, as ibv_create_cq_ex() does. */
struct ibv_cq_ex *queue_create_more(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);

/* Put the functions of ibv_start_poll() and its kin into a queue. */
void queue_extend(struct queue *q);

/* Drop the entries of a queue pair. */
void queue_forget(struct queue *q, uint64_t cookie);

/* The data path of struct ibv_context. */
int queue_poll(struct ibv_cq *cq, int room, struct ibv_wc *wc);
int queue_arm(struct ibv_cq *cq, int solicited_only);

#endif
