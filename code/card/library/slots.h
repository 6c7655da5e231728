/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of requests that the card reads: of a queue pair's sends or receives, or a shared receive queue. */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "lock.h"

#define SLOTS_UNIT 64 /* bytes; a slot is a multiple of it */

struct slots {
	struct lock lock;      /* of who posts */
	uint32_t count, bytes; /* a power of two, or 0; of each */
	uint32_t posted;       /* since it was reset, modulo 2^32, as `freed` */
	_Atomic uint32_t freed;
	uint32_t pieces_most;
	unsigned char *first;
};

/* For requests of so many pieces or inline bytes, with an address of so many bytes; at least as many as asked for. */
void slots_size(struct slots *s, uint32_t count, uint32_t pieces, uint32_t inline_bytes, uint32_t address_bytes);

static inline size_t slots_bytes(const struct slots *s)
{
	return (size_t)s->count * s->bytes;
}

/* As a new queue: nothing was posted. */
void slots_reset(struct slots *s);

/* The slot of the next request; NULL: the queue is full. */
static inline struct card_wqe *slots_next(const struct slots *s)
{
	if (s->posted - atomic_load_explicit(&s->freed, memory_order_relaxed) >= s->count)
		return NULL;
	return (struct card_wqe *)(s->first + (size_t)(s->posted & (s->count - 1)) * s->bytes);
}

/* Those up to an index are free. Completions of a shared queue may be seen in another order than they were made. */
static inline void slots_free(struct slots *s, uint32_t index)
{
	if ((int32_t)(index + 1 - atomic_load_explicit(&s->freed, memory_order_relaxed)) > 0)
		atomic_store_explicit(&s->freed, index + 1, memory_order_relaxed);
}

#endif
