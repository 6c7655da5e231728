/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internet's checksum (RFC 1071): a sum of 16-bit words, which does not depend on the order of their bytes. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Add bytes to a sum, an odd one at the end as if a 0 followed. */
uint64_t checksum_add(uint64_t sum, const uint8_t *bytes, size_t size);

/* Write the checksum of a sum to where it belongs; never 0, which says in UDP that there is none. */
void checksum_write(uint64_t sum, uint8_t *to);

#endif
