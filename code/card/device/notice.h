/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notifications for the kernel: completions with an armed channel, and asynchronous events. */
#ifndef NOTICE_H
#define NOTICE_H

#include "object.h"

enum { NOTICES = 8192 };

/* The kernel reads them one by one; if the ring is full, further ones are lost. */
struct notices {
	struct notice {
		uint64_t word, cookie;
	} ring[NOTICES];
	uint32_t first, used;
	uint64_t cookie; /* of the notification that was taken last */
};

struct card;

/* Interrupt for a completion queue, after the time of an interrupt. */
void notice_completion(struct card *card, const struct object *cq);

/* Interrupt for an event of an object, likewise. */
void notice_event(struct card *card, const struct object *object, uint32_t event);

/* Take the next notification: its word; 0 if there is none, which ends the interrupt. */
uint64_t notice_take(struct card *card);

#endif
