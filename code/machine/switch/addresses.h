/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each address was last seen, as a learning bridge knows it (IEEE 802.1D, 7.8), but that nothing is forgotten: no
 * run is long enough for a machine to go.
 */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdint.h>

enum { ADDRESS_BYTES = 6, MOST_ADDRESSES = 256, EVERYWHERE = -1 };

struct addresses {
	int count; /* once all have their place, no further one is learned: what is for it goes everywhere */
	struct known {
		uint8_t bytes[ADDRESS_BYTES];
		int port;
	} known[MOST_ADDRESSES];
};

/* A frame came from an address through a port. No group is ever the source of one. */
void addresses_learn(struct addresses *addresses, const uint8_t *address, int port);

/* The port behind which an address is; EVERYWHERE: of a group, of all, or unknown. */
int addresses_find(const struct addresses *addresses, const uint8_t *address);

#endif
