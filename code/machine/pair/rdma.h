/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An RDMA card: a shared object that a fork of the machine opens if its order passes one. */
#ifndef RDMA_H
#define RDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RDMA_FLAGS = 1, RDMA_MARKED = 128 }; /* a byte of each packet, and what a switch sets there in a long queue */

/* The link, as a card uses it. */
struct rdma_link {
	uint64_t rate_bit_s; /* 0: a packet takes no time */
	int64_t (*send)(int64_t now_ns, uint32_t to, const uint8_t *bytes, size_t size,
			uint64_t line_bytes); /* see netdev.h */
	void (*slow_down)(uint64_t bit_s);    /* for the record: a queue pair sends at this rate from now on */
	void (*count_early)(void);            /* likewise: the receiver of a message had no receive for it */
	int64_t (*free_ns)(void);
};

/* What comes to a card over the link: a packet from a computer, or the order of a switch to send none until the next
 * order. */
struct rdma_card {
	void (*deliver)(int64_t now_ns, uint32_t from, const uint8_t *bytes, size_t size);
	void (*pause)(int64_t now_ns, bool is_paused);
};

/* The object exports `rdma_plug`: it puts the card into this machine, with options such as `card_gap_ps=100,` in one
 * string. NULL, after a message, if it fails. */
typedef const struct rdma_card *rdma_plug_call(const struct rdma_link *link, const char *words);

#endif
