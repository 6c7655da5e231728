/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames in flight over a wire in one direction, in the order of arrival.
 *
 * A position counts bytes since the start and never decreases; the place in memory is the position modulo the size of
 * the ring. The memory is mapped twice in a row, so no frame is split.
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
	uint16_t line_bytes; /* on the link, of an RDMA card's packet */
	uint8_t verified;    /* the card has computed its checksums */
	uint8_t kind;        /* enum frame_kind */
	uint8_t bytes[];
};

/* No guest can set this: a frame of its network card, a packet of its RDMA card to another one, or orders of a switch
 * to the RDMA card, on the side network, which has no queue. */
enum frame_kind { ETHERNET, RDMA, PAUSE, RESUME };

enum { RDMA_TO = 5, RDMA_FROM = 11 }; /* the bytes of such a packet that are the numbers of its computers */

/* The ring at an offset of a file; no memory if it cannot be mapped. */
struct ring ring_map(int file, off_t at);

/* The frame at a position. */
struct frame *ring_at(const struct ring *ring, uint64_t position);

/* The position after a frame of a size. */
uint64_t ring_after(uint64_t position, size_t size);

/* Whether a frame of a size has room between the sent and the taken position. */
bool ring_has_room(uint64_t sent, uint64_t taken, size_t size);

#endif
