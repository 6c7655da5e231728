/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incoming packets: over the bus in order, then to their queue pairs. */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "packet.h"

struct card;

struct arrival {
	STAILQ_ENTRY(arrival) entry;
	uint32_t peer; /* its sender: enum card_peer */
	struct packet packet;
	uint8_t payload[];
};

/* Packets that have arrived and are not in memory yet, in order. */
STAILQ_HEAD(arrivals, arrival);

/* Take a packet of another card or this one; an invalid one is dropped. */
void arrival_take(struct card *card, uint32_t peer, const uint8_t *bytes, size_t size);

/* Free all waiting packets. */
void arrivals_end(struct arrivals *arrivals);

#endif
