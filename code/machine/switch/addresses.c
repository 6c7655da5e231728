/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "addresses.h"

static bool is_group(const uint8_t *address)
{
	return address[0] & 1;
}

static int place_of(const struct addresses *a, const uint8_t *address)
{
	int place = 0;

	while (place < a->count && memcmp(a->known[place].bytes, address, ADDRESS_BYTES))
		place++;
	return place;
}

void addresses_learn(struct addresses *a, const uint8_t *address, int port)
{
	const int place = place_of(a, address);

	if (is_group(address) || place == MOST_ADDRESSES)
		return;
	memcpy(a->known[place].bytes, address, ADDRESS_BYTES);
	a->known[place].port = port;
	a->count += place == a->count;
}

int addresses_find(const struct addresses *a, const uint8_t *address)
{
	const int place = place_of(a, address);

	return place < a->count ? a->known[place].port : EVERYWHERE;
}
