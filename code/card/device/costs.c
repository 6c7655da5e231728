/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "costs.h"

typedef unsigned __int128 wide;

static const struct {
	const char *name;
	size_t at;
} known[] = {
	{ "header_bytes", offsetof(struct costs, header_bytes) },
	{ "bus_bit_s", offsetof(struct costs, bus_bit_s) },
	{ "doorbell_ps", offsetof(struct costs, doorbell_ps) },
	{ "fetch_ps", offsetof(struct costs, fetch_ps) },
	{ "write_ps", offsetof(struct costs, write_ps) },
	{ "gap_ps", offsetof(struct costs, gap_ps) },
	{ "block_ps", offsetof(struct costs, block_ps) },
	{ "ack_ps", offsetof(struct costs, ack_ps) },
	{ "irq_ps", offsetof(struct costs, irq_ps) },
};

bool costs_set(struct costs *costs, const char *name, uint64_t value)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0) {
			memcpy((char *)costs + known[i].at, &value, sizeof(value));
			return true;
		}
	return false;
}

int64_t costs_time(uint64_t bytes, uint64_t bit_s)
{
	const wide ps_bits = (wide)bytes * 8 * 1000000000000ull;

	return bit_s ? (int64_t)((ps_bits + bit_s - 1) / bit_s) : 0;
}
