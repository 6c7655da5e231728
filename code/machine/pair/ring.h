/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that are on their way over a wire in one direction, in the order in which they arrive.
 *
 * A position counts bytes since the start and never turns back; the place in memory is what remains of it modulo the
 * ring's size. The memory is mapped twice in a row, so that no frame is cut in two.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_BYTES ((uint64_t)64 << 20) /* only what was once used takes memory */

struct ring {
	uint8_t *memory;
};

struct frame {
	int64_t arrival_ns;
	uint32_t size;
	uint16_t verified; /* the card has computed its checksums: they are right */
	uint16_t is_rdma;  /* for the other end's RDMA card, and from this one's: no guest can say so */
	uint8_t bytes[];
};

/* The ring at a place of a file; no memory if that cannot be mapped. */
struct ring ring_map(int file, off_t at);

/* The frame at a position. */
struct frame *ring_at(const struct ring *ring, uint64_t position);

/* The position after a frame of a size. */
uint64_t ring_after(uint64_t position, size_t size);

/* Whether a frame of a size has room between what is sent and what is not yet taken. */
bool ring_has_room(uint64_t sent, uint64_t taken, size_t size);

#endif
