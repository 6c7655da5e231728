/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doorbells, which programs write to. */
#ifndef BELL_H
#define BELL_H

#include <stdint.h>

struct card;

/* A write to a page of doorbells; only objects of the owner of the page count. */
void bell_ring(struct card *card, uint32_t page, uint64_t which, uint64_t value);

#endif
