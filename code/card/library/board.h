/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card as one ibv_context has it: an open file, and a page of doorbells. */
#ifndef BOARD_H
#define BOARD_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>

#include "abi.h"

#define BOARD_FILE "/dev/labcard"

struct board {
	struct board *next;
	struct ibv_context *context;
	volatile uint64_t *doorbells;
	int file, kernels_file; /* of the card; the context's own, for asynchronous events */
	pthread_mutex_t lock;   /* while the kernel makes an object */
	int (*query_device_ex)(struct ibv_context *, const struct ibv_query_device_ex_input *,
			       struct ibv_device_attr_ex *, size_t); /* the device's own */
	int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);
};

/* A new one, whose file takes the place of the context's own, from which libibverbs and programs read asynchronous
 * events; or NULL and errno. */
struct board *board_open(struct ibv_context *context);
void board_close(struct board *board);

/* That of a context; NULL: the context is of another kind of device. */
struct board *board_of(const struct ibv_context *context);

/* The kernel makes an object only beside its own file for events: between these two calls the context has that. */
void board_yield(struct board *board);
void board_return(struct board *board);

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
