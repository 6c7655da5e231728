/* The smaller of two numbers. */
#ifndef LEAST_H
#define LEAST_H

#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
