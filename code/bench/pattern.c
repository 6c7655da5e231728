#include "pattern.h"

#include <endian.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014): neighbouring words are unrelated. Little-endian in memory on any CPU, since the
 * two ends may differ. */
static uint64_t word_at(uint64_t seed, uint64_t message, uint64_t index)
{
	uint64_t z = seed * 0xd1342543de82ef95u + message * 0x9e3779b97f4a7c15u + index * 0xbf58476d1ce4e5b9u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return htole64(z ^ (z >> 31));
}

void pattern_fill(unsigned char *bytes, uint64_t size, uint64_t seed, uint64_t message)
{
	uint64_t word, length;

	for (uint64_t at = 0; at < size; at += 8) {
		word = word_at(seed, message, at / 8);
		length = size - at < 8 ? size - at : 8;
		memcpy(bytes + at, &word, length);
	}
}

uint64_t pattern_check(const unsigned char *bytes, uint64_t size, uint64_t seed, uint64_t message)
{
	uint64_t word = 0;

	for (uint64_t at = 0; at < size; at++) {
		if (at % 8 == 0)
			word = word_at(seed, message, at / 8);
		if (bytes[at] != ((const unsigned char *)&word)[at % 8])
			return at;
	}
	return PATTERN_GOOD;
}
