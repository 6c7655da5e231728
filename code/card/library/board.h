/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card of one ibv_context: an open file, and a page of doorbells. */
#ifndef BOARD_H
#define BOARD_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"

#define BOARD_FILE "/dev/labcard"

struct board {
	struct board *next;
	struct ibv_context *context;
	struct verbs_context
		kernels; /* the context as opened, with the functions of the device; the kernel creates objects only
			    with its original file of asynchronous events, which programs must not see */
	volatile uint64_t *doorbells;
	int file; /* of the card */
};

/* Create one; its file replaces that of the context, from which libibverbs and programs read asynchronous events. NULL
 * and errno if that fails. */
struct board *board_open(struct ibv_context *context);
void board_close(struct board *board);

/* The board of a context; NULL: the context is of another kind of device. */
struct board *board_of(const struct ibv_context *context);

/* The protection domain of a program, for objects of the kernel. */
struct ibv_pd board_pd(struct board *board, const struct ibv_pd *pd);

/* 0, or an errno of the card or the kernel. */
int board_request(const struct ibv_context *context, struct card_request *request);
void board_destroy(const struct ibv_context *context, uint32_t handle);

/* The card sees all earlier writes. */
static inline void board_ring(volatile uint64_t *doorbells, unsigned int which, uint64_t value)
{
	__asm__ volatile("" ::: "memory"); /* x86 stores in order; the compiler might not */
	doorbells[which / sizeof(*doorbells)] = value;
}

#endif
