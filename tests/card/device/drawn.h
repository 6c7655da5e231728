/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers of a seed: splitmix64. */
#ifndef DRAWN_H
#define DRAWN_H

#include <stdint.h>

static inline uint64_t drawn(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* One below a bound. */
static inline uint64_t drawn_below(uint64_t *seed, uint64_t bound)
{
	return drawn(seed) % bound;
}

#endif
