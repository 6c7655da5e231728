/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wire in one direction: when what is sent arrives, and whether it does. All in integers, without any clock of its
 * own.
 *
 * A frame waits until those before it have left, leaves at the wire's rate with all that Ethernet adds to it, and then
 * travels. A queue of so many bytes stands before the wire; a frame that finds no room there is dropped. A lost one has
 * taken its time on the wire.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#include "layout.h"

enum {
	HEADER_BYTES = 14,      /* both addresses and the type, which a frame of the guest begins with */
	SHORTEST_BYTES = 60,    /* what is shorter goes as long as this over an Ethernet */
	FRAME_EXTRA_BYTES = 24, /* preamble 8, checksum 4, gap 12: the guest's frames are without */
};

struct wire_model {
	int64_t latency_ns;
	uint64_t rate_bit_s;  /* 0: a frame takes no time */
	uint64_t mtu_bytes;   /* of a frame behind its header; 0: any */
	uint64_t queue_bytes; /* a frame with its extra bytes and all that is before it; 0: any number */
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

/* A wire that leads away from an end; each direction loses others by the same seed. */
struct wire wire_new(const struct wire_model *model, uint64_t seed, int end, struct counts *counts);

/* Send a frame of a size at a time that is not before the last one's: what becomes of it, and its arrival if it has
 * one. */
enum fate wire_send(struct wire *wire, int64_t now_ns, uint64_t size, int64_t *arrival_ns);

/* Send something else that takes so many bytes of the line, all included, and waits for it before: CARRIED or LOST. */
enum fate wire_carry(struct wire *wire, int64_t now_ns, uint64_t line_bytes, int64_t *arrival_ns);

#endif
