/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card as one ibv_context has it: an open file, and a page of doorbells. */
#ifndef BOARD_H
#define BOARD_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"

#define BOARD_FILE "/dev/labcard"

struct board {
	struct board *next;
	struct ibv_context *context;
	struct verbs_context kernels; /* the context as it was opened, which is all that rxe has of one: the kernel
					 makes an object only beside its own file of asynchronous events, that
					 programs must never see, and a call of the device's own is there */
	volatile uint64_t *doorbells;
	int file; /* of the card */
};

/* A new one, whose file takes the place of the context's own, from which libibverbs and programs read asynchronous
 * events; or NULL and errno. */
struct board *board_open(struct ibv_context *context);
void board_close(struct board *board);

/* That of a context; NULL: the context is of another kind of device. */
struct board *board_of(const struct ibv_context *context);

/* A program's protection domain, for the kernel's own objects. */
struct ibv_pd board_pd(struct board *board, const struct ibv_pd *pd);

/* 0, or the reason of the card or the kernel. */
int board_request(const struct ibv_context *context, struct card_request *request);
void board_destroy(const struct ibv_context *context, uint32_t handle);

/* All that was written before is seen by the card. */
static inline void board_ring(volatile uint64_t *doorbells, unsigned int which, uint64_t value)
{
	__asm__ volatile("" ::: "memory"); /* x86 stores in order; the compiler need not */
	doorbells[which / sizeof(*doorbells)] = value;
}

#endif
