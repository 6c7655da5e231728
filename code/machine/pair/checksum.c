/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "checksum.h"

uint64_t checksum_add(uint64_t sum, const uint8_t *bytes, size_t size)
{
	uint32_t words;
	size_t at;

	for (at = 0; at + sizeof(words) <= size; at += sizeof(words)) {
		memcpy(&words, bytes + at, sizeof(words));
		sum += words;
	}
	words = 0;
	memcpy(&words, bytes + at, size - at);
	return sum + words;
}

void checksum_write(uint64_t sum, uint8_t *to)
{
	uint16_t folded;

	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xffff);
	folded = (uint16_t)~sum;
	if (!folded)
		folded = 0xffff;
	memcpy(to, &folded, sizeof(folded));
}
