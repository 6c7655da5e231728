/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port at which each address was last seen, as in a learning bridge (IEEE 802.1D, 7.8), but without expiry: no run
 * is long enough for a machine to leave. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdint.h>

enum { ADDRESS_BYTES = 6, MOST_ADDRESSES = 256, EVERYWHERE = -1 };

struct addresses {
	int count; /* when the table is full, no further address is learned: frames for it go to all ports */
	struct known {
		uint8_t bytes[ADDRESS_BYTES];
		int port;
	} known[MOST_ADDRESSES];
};

/* A frame came from an address through a port. A group address is never a source. */
void addresses_learn(struct addresses *addresses, const uint8_t *address, int port);

/* The port of an address; EVERYWHERE: a group, all, or unknown. */
int addresses_find(const struct addresses *addresses, const uint8_t *address);

#endif
