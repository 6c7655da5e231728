/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of requests that the card reads: sends or receives of a queue pair, or a shared receive queue. */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "lock.h"

#define SLOTS_UNIT 64 /* bytes; a slot is a multiple of it */

struct slots {
	struct lock lock;      /* of the posting thread */
	uint32_t count, bytes; /* a power of two, or 0; of each */
	uint32_t posted;       /* posted since the reset, modulo 2^32, like `freed` */
	_Atomic uint32_t freed;
	uint32_t pieces_most;
	unsigned char *first;
};

/* The smallest power of two from a number on. */
static inline uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}

/* Set the sizes for requests of this many pieces or inline bytes, with an address of this many bytes; at least as many
 * requests as the arguments ask for. */
void slots_size(struct slots *s, uint32_t count, uint32_t pieces, uint32_t inline_bytes, uint32_t address_bytes);

static inline size_t slots_bytes(const struct slots *s)
{
	return (size_t)s->count * s->bytes;
}

/* Print the first reason for a refused post, with a number: many programs print none. */
void slots_report(const char *reason, uint32_t number) __attribute__((format(printf, 1, 0)));

/* Empty the queue. */
void slots_reset(struct slots *s);

/* The slot of a request, by its number since the reset. */
static inline struct card_wqe *slots_at(const struct slots *s, uint32_t number)
{
	return (struct card_wqe *)(s->first + (size_t)(number & (s->count - 1)) * s->bytes);
}

/* The slot of the next request; NULL: the queue is full. */
static inline struct card_wqe *slots_next(const struct slots *s)
{
	if (s->posted - atomic_load_explicit(&s->freed, memory_order_relaxed) >= s->count)
		return NULL;
	return slots_at(s, s->posted);
}

/* Free the slots up to an index. Completions of a shared queue may be polled in another order than they were
 * written. */
static inline void slots_free(struct slots *s, uint32_t index)
{
	if ((int32_t)(index + 1 - atomic_load_explicit(&s->freed, memory_order_relaxed)) > 0)
		atomic_store_explicit(&s->freed, index + 1, memory_order_relaxed);
}

#endif
