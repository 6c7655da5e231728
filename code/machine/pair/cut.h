/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a network card does to frames that its guest sends: it cuts long TCP segments into frames (TSO), and fills in
 * checksums. On virtio, a header before each frame asks for this. */
#ifndef CUT_H
#define CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct virtio_net_hdr of VIRTIO 1.2, 5.1.6, all little-endian; `buffers` may be left out. */
struct card_header {
	uint8_t flags;             /* enum card_flags */
	uint8_t kind;              /* enum card_kind */
	uint16_t headers, payload; /* bytes of the headers; of the payload in each frame, if the segment is to be cut */
	uint16_t sum_from, sum_at; /* the start of the checksummed bytes; the offset of the checksum from there */
	uint16_t buffers;
};
enum card_flags { WANTS_CHECKSUM = 1, CHECKSUM_IS_RIGHT = 2 };
enum card_kind { WHOLE = 0, TCP_V4 = 1, TCP_V6 = 4, HAS_ECN = 0x80 };

/* A frame of the guest, and the frames to which it is cut. */
struct cut {
	const uint8_t *bytes;
	size_t size;
	size_t ip, tcp, headers, payload; /* offsets; bytes before the payload, and of the payload in each frame */
	unsigned int frames;
	uint8_t kind;
	bool verified; /* the card fills in the checksum */
	uint16_t sum_from, sum_at;
};

/* Decide how to send a frame; false if its header is invalid. */
bool cut_plan(struct cut *cut, const struct card_header *header, const uint8_t *bytes, size_t size);

/* The size of a frame on the wire, by its number from 0. */
size_t cut_size(const struct cut *cut, unsigned int number);

/* Write that frame. */
void cut_write(const struct cut *cut, unsigned int number, uint8_t *to);

#endif
