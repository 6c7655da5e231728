/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where packets go: to the other computer, or to this one. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "abi.h"

/* An address handle. */
struct address {
	struct ibv_ah ah; /* what the program has a pointer to; first */
	struct ibv_ah *real;
	struct card_address to;
};

static inline struct address *address_of(struct ibv_ah *ah)
{
	return (struct address *)ah;
}

/* The computer that a GID is of. */
enum card_peer address_peer(struct ibv_context *context, const union ibv_gid *gid);

#endif
