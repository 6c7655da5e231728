/* The bytes that --verify sends and expects: a function of seed, message and offset, so that a byte that was never
 * written, or belongs to another message, is detected. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdint.h>

#define PATTERN_GOOD UINT64_MAX

void pattern_fill(unsigned char *bytes, uint64_t size, uint64_t seed, uint64_t message);

/* The offset of the first wrong byte, or PATTERN_GOOD. */
uint64_t pattern_check(const unsigned char *bytes, uint64_t size, uint64_t seed, uint64_t message);

#endif
