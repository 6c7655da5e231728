/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that come in: over the bus one after the other, then to their queue pairs. */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "packet.h"

struct card;

struct arrival {
	STAILQ_ENTRY(arrival) entry;
	bool is_here; /* of this card itself */
	struct packet packet;
	uint8_t payload[];
};

/* What has come in and is not in memory yet, in order. */
STAILQ_HEAD(arrivals, arrival);

/* Take a packet, from the other card or this one; one that is none is forgotten. */
void arrival_take(struct card *card, const uint8_t *bytes, size_t size, bool is_here);

/* Forget all that has come in. */
void arrivals_end(struct arrivals *arrivals);

#endif
