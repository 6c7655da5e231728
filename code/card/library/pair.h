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
	union { /* the pointer of the program; first member */
		struct ibv_qp qp;
		struct ibv_qp_ex more; /* for ibv_wr_start(), if the program asked for that */
	};
	struct ibv_qp *real;
	struct slots sends, own_receives;
	struct slots *receives; /* of the queue pair, or shared */
	uint32_t opcodes, able; /* bits of the operations that may be posted now; ever */
	uint32_t drafts;        /* likewise, after ibv_wr_start() */
	uint32_t drafted_from;  /* sends.posted at ibv_wr_start() */
	int draft_error;        /* since then; errno */
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

/* Create a queue pair with more attributes, as ibv_create_qp_ex() does. */
struct ibv_qp *pair_create_more(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);

/* Put the functions of ibv_wr_start() and its kin into a queue pair, for these bits of enum
 * ibv_qp_create_send_ops_flags. */
void pair_extend(struct pair *p, uint64_t operations);

/* Set the state that the program asked for, which decides what may be posted. */
void pair_enter(struct pair *p, enum ibv_qp_state state);

/* The data path of struct ibv_context. */
int pair_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int pair_receive(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
