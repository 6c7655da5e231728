/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doorbells, which programs ring themselves. */
#ifndef BELL_H
#define BELL_H

#include <stdint.h>

struct card;

/* Something is written to a page of doorbells; only for objects of the page's owner. */
void bell_ring(struct card *card, uint32_t page, uint64_t which, uint64_t value);

#endif
