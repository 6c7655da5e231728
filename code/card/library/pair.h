/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue pair: two queues of requests that the card reads, and the queue pair of the kernel, which sees each change of
 * state. */
#ifndef PAIR_H
#define PAIR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "board.h"
#include "queue.h"
#include "slots.h"

struct pair {
	struct ibv_qp qp; /* the pointer of the program; first member */
	struct ibv_qp *real;
	struct slots sends, own_receives;
	struct slots *receives; /* of the queue pair, or shared */
	uint32_t opcodes, able; /* bits of the operations that may be posted now; ever */
	uint32_t inline_most, address_bytes;
	bool receiving, all_signalled;
	volatile uint64_t *doorbells;
	unsigned char *memory;
	struct card_attributes attributes;
	_Atomic uint32_t async_taken; /* events, by the program */
};

static inline struct pair *pair_of(struct ibv_qp *qp)
{
	return (struct pair *)qp;
}

/* Set the state that the program asked for, which decides what may be posted. */
void pair_enter(struct pair *p, enum ibv_qp_state state);

/* The data path of struct ibv_context. */
int pair_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int pair_receive(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
