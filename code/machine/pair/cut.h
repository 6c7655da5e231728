/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a network card does for its guest to a frame that it sends: it cuts a long TCP segment into frames (TSO), and
 * fills in checksums. A virtio card says what is wanted in a header before the frame.
 */
#ifndef CUT_H
#define CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct virtio_net_hdr of VIRTIO 1.2, 5.1.6, all little-endian; `buffers` may be left out. */
struct card_header {
	uint8_t flags;             /* enum card_flags */
	uint8_t kind;              /* enum card_kind */
	uint16_t headers, payload; /* bytes; of a segment that is to be cut, in each frame */
	uint16_t sum_from, sum_at; /* what the checksum is of starts there; where it is, counted from there */
	uint16_t buffers;
};
enum card_flags { WANTS_CHECKSUM = 1, CHECKSUM_IS_RIGHT = 2 };
enum card_kind { WHOLE = 0, TCP_V4 = 1, TCP_V6 = 4, HAS_ECN = 0x80 };

/* A frame of the guest, and the frames that it becomes on the wire. */
struct cut {
	const uint8_t *bytes;
	size_t size;
	size_t ip, tcp, headers, payload; /* places; bytes before the payload, and of the payload in each frame */
	unsigned int frames;
	uint8_t kind;
	bool verified; /* the card fills in the checksum */
	uint16_t sum_from, sum_at;
};

/* How a frame is to be sent; false if its header makes no sense. */
bool cut_plan(struct cut *cut, const struct card_header *header, const uint8_t *bytes, size_t size);

/* The size of a frame on the wire, by its number from 0. */
size_t cut_size(const struct cut *cut, unsigned int number);

/* Write that frame. */
void cut_write(const struct cut *cut, unsigned int number, uint8_t *to);

#endif
