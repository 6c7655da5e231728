/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An RDMA card: a shared object that a fork of the machine opens if its order passes one. */
#ifndef RDMA_H
#define RDMA_H

#include <stddef.h>
#include <stdint.h>

/* The link, as a card uses it. */
struct rdma_link {
	uint64_t rate_bit_s; /* 0: a packet takes no time */
	int64_t (*send)(int64_t now_ns, uint32_t to, const uint8_t *bytes, size_t size,
			uint64_t line_bytes); /* see netdev.h */
	int64_t (*free_ns)(void);
};

/* The object exports `rdma_plug`: it puts the card into this machine, with options such as `card_gap_ps=100,` in one
 * string. It returns the function that receives packets; NULL, after a message, if it fails. */
typedef void rdma_deliver(int64_t now_ns, uint32_t from, const uint8_t *bytes, size_t size);
typedef rdma_deliver *rdma_plug_call(const struct rdma_link *link, const char *words);

#endif
