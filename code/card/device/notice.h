/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel is told: completions that somebody waits for, and asynchronous events. */
#ifndef NOTICE_H
#define NOTICE_H

#include "object.h"

enum { NOTICES = 8192 };

/* Read by the kernel one by one; more than there is room for are lost. */
struct notices {
	struct notice {
		uint64_t word, cookie;
	} ring[NOTICES];
	uint32_t first, used;
	uint64_t cookie; /* of the one that was taken last */
};

struct card;

/* Interrupt for a completion queue, once that costs has passed. */
void notice_completion(struct card *card, const struct object *cq);

/* Interrupt for an event of an object's. */
void notice_event(struct card *card, const struct object *object, uint32_t event);

/* Take the next one: its word; 0 if there is none, which ends the interrupt. */
uint64_t notice_take(struct card *card);

#endif
