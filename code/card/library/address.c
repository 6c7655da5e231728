/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "address.h"

#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "real.h"

#define GIDS_MOST 64 /* of a device with up to three addresses */

/* The last byte of each of its addresses is the number of a computer, from 1. The kernel refuses addresses of nobody.
 */
uint32_t address_peer(struct ibv_context *context, const union ibv_gid *gid)
{
	struct ibv_gid_entry entries[GIDS_MOST];
	ssize_t count = real(_ibv_query_gid_table)(context, entries, GIDS_MOST, 0, sizeof(*entries));

	for (ssize_t i = 0; i < count; i++)
		if (memcmp(&entries[i].gid, gid, sizeof(*gid)) == 0)
			return CARD_HERE;
	return gid->raw[sizeof(gid->raw) - 1] ? gid->raw[sizeof(gid->raw) - 1] : CARD_PEERS_MOST;
}

static void fill(struct address *a, const struct ibv_ah_attr *attr)
{
	const struct ibv_global_route *route = &attr->grh;
	union ibv_gid own = { 0 };

	real(ibv_query_gid)(a->ah.context, attr->port_num, route->sgid_index, &own);
	a->to.peer = address_peer(a->ah.context, &route->dgid);
	memcpy(a->to.from, own.raw, sizeof(own));
	memcpy(a->to.to, route->dgid.raw, sizeof(route->dgid));
}

EXPORTED struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct address *a;

	if (!board_of(pd->context))
		return real(ibv_create_ah)(pd, attr);
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->real = real(ibv_create_ah)(pd, attr);
	if (!a->real) {
		free(a);
		return NULL;
	}
	a->ah = *a->real;
	fill(a, attr);
	return &a->ah;
}

/* As in libibverbs, whose function would create a handle that is not of the card. */
EXPORTED struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	if (real(ibv_init_ah_from_wc)(pd->context, port, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}

EXPORTED int ibv_destroy_ah(struct ibv_ah *ah)
{
	struct address *a = address_of(ah);
	int error;

	if (!board_of(ah->context))
		return real(ibv_destroy_ah)(ah);
	error = real(ibv_destroy_ah)(a->real);
	if (!error)
		free(a);
	return error;
}
