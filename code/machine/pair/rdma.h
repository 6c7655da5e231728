/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An RDMA card: a shared object that a copy of the machine opens when its order brings one. */
#ifndef RDMA_H
#define RDMA_H

#include <stddef.h>
#include <stdint.h>

/* The link, as a card finds it. */
struct rdma_link {
	uint64_t rate_bit_s; /* 0: a packet takes no time */
	int64_t (*send)(int64_t now_ns, const uint8_t *bytes, size_t size, uint64_t line_bytes); /* see netdev.h */
	int64_t (*free_ns)(void);
};

/*
 * What the object exports as `rdma_plug`: it puts the card into this machine, with words as `card_gap_ps=100,` one
 * after the other. What it returns gets the packets that arrive; NULL, once it has told why, if it can't be.
 */
typedef void rdma_deliver(int64_t now_ns, const uint8_t *bytes, size_t size);
typedef rdma_deliver *rdma_plug_call(const struct rdma_link *link, const char *words);

#endif
