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
	{ "notify_ps", offsetof(struct costs, notify_ps) },
	{ "knee_permille", offsetof(struct costs, knee_permille) },
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

/* Fixed-point numbers with 32 bits after the point: floating point may differ between hosts. */
enum { POINT = 32, PERMILLE = 1000 };
#define ONE (1ull << POINT)

/* The logarithm to base 2 of a number of at least one: squaring it doubles the logarithm. */
static uint64_t log2_of(uint64_t number)
{
	const int whole = 63 - __builtin_clzll(number) - POINT;
	uint64_t log = (uint64_t)whole << POINT;
	wide square = (wide)number << (31 - whole); /* between 1 and 2, with 63 bits after the point */

	for (uint64_t bit = ONE / 2; bit; bit /= 2) {
		square = square * square >> 63;
		if (square >> 64) {
			square /= 2;
			log |= bit;
		}
	}
	return log;
}

/* The largest number with at most this logarithm. */
static uint64_t exp2_of(uint64_t log)
{
	uint64_t number = ONE << (log >> POINT);

	for (uint64_t step = number / 2; step; step /= 2)
		if (log2_of(number + step) <= log)
			number += step;
	return number;
}

int64_t costs_bent(int64_t work_ps, int64_t way_ps, uint64_t knee_permille)
{
	const int64_t most = work_ps > way_ps ? work_ps : way_ps, least = work_ps + way_ps - most;
	wide log;

	if (!knee_permille)
		return work_ps;
	if (!least || most / least >= (int64_t)ONE)
		return most;
	log = (wide)log2_of((uint64_t)(((wide)most << POINT) / least)) * PERMILLE / knee_permille;
	if (log >> POINT >= 31)
		return most;
	log = log2_of(ONE + (uint64_t)(((wide)ONE << POINT) / exp2_of((uint64_t)log)));
	return (int64_t)((wide)most * exp2_of((uint64_t)(log * knee_permille / PERMILLE)) >> POINT);
}
