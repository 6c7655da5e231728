/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One direction of a link: when a frame arrives, and whether it does. All in integers, without a clock.
 *
 * A frame waits until all earlier ones have left, leaves at the rate of the link with the extra bytes of Ethernet, and
 * then travels. The link has a queue of a number of bytes; a frame without room there is dropped. A lost frame has used
 * its time on the link.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#include "layout.h"

enum {
	HEADER_BYTES = 14,      /* both addresses and the type, with which a frame of the guest begins */
	SHORTEST_BYTES = 60,    /* shorter frames are padded to this on Ethernet */
	FRAME_EXTRA_BYTES = 24, /* preamble 8, checksum 4, gap 12: not part of frames of the guest */
};

struct wire_model {
	int64_t latency_ns;
	uint64_t rate_bit_s;  /* 0: a frame takes no time */
	uint64_t mtu_bytes;   /* of a frame after its header; 0: any */
	uint64_t queue_bytes; /* of a frame with its extra bytes and all before it; 0: any number */
	uint64_t loss_ppm;
};

struct wire {
	struct wire_model model;
	int64_t free_ns; /* when the last frame's last bit has left: this, and `fraction` / rate of a ns */
	uint64_t fraction;
	uint64_t random; /* the state of splitmix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195) */
	struct counts *counts;
};

enum fate { CARRIED, LOST, DROPPED };

/* A wire away from an end; the directions lose different frames by the same seed. */
struct wire wire_new(const struct wire_model *model, uint64_t seed, int end, struct counts *counts);

/* The bytes on the link of a frame of a size. */
uint64_t wire_line_bytes(uint64_t size);

/* The bytes that have not left yet at a time that is not before that of the last frame. */
uint64_t wire_waiting(const struct wire *wire, int64_t now_ns);

/* Send a frame of a size at a time that is not before that of the last one: its fate, and its arrival if it has one. */
enum fate wire_send(struct wire *wire, int64_t now_ns, uint64_t size, int64_t *arrival_ns);

/* Send something of any size with this many bytes on the link, extra bytes included. */
enum fate wire_carry(struct wire *wire, int64_t now_ns, uint64_t line_bytes, int64_t *arrival_ns);

#endif
