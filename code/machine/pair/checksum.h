/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internet checksum (RFC 1071): a sum of 16-bit words, independent of byte order. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Add bytes to a sum; an odd last byte is padded with a 0. */
uint64_t checksum_add(uint64_t sum, const uint8_t *bytes, size_t size);

/* Write the checksum of a sum; never 0, which means "none" in UDP. */
void checksum_write(uint64_t sum, uint8_t *to);

#endif
