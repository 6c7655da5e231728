/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where packets go: to another computer, or to this one. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"

/* An address handle. */
struct address {
	struct ibv_ah ah; /* the pointer of the program; first member */
	struct ibv_ah *real;
	struct card_address to;
};

static inline struct address *address_of(struct ibv_ah *ah)
{
	return (struct address *)ah;
}

/* The computer of a GID: enum card_peer. */
uint32_t address_peer(struct ibv_context *context, const union ibv_gid *gid);

#endif
