/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared receive queue. */
#ifndef POOL_H
#define POOL_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "slots.h"

struct pool {
	struct ibv_srq srq; /* the pointer of the program; first member */
	struct ibv_srq *real;
	struct slots slots;
	uint32_t handle, limit;
	volatile uint64_t *doorbells;
	_Atomic uint32_t async_taken; /* events, by the program */
};

static inline struct pool *pool_of(struct ibv_srq *srq)
{
	return (struct pool *)srq;
}

/* The data path of struct ibv_context. */
int pool_receive(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
