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

/* Mostly what makes sense, or nearly: four in so many are wrong. */
static inline uint64_t drawn_near(uint64_t *seed, uint64_t wildness, uint64_t value)
{
	switch (drawn_below(seed, wildness)) {
	case 0:
		return drawn(seed);
	case 1:
		return value + 1;
	case 2:
		return value - 1;
	case 3:
		return 1ull << drawn_below(seed, 64);
	default:
		return value;
	}
}

#endif
