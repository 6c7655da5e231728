/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion queues: a ring of entries in the memory of a program. */
#ifndef CQ_H
#define CQ_H

#include "object.h"

struct cq {
	struct object is;
	uint32_t entries, channel; /* number of a file; 0: none */
	uint32_t solicited;        /* entries up to the last one with a solicited event */
	uint64_t produced;
	bool is_overrun;
	enum { UNARMED, ARMED, ARMED_SOLICITED } armed;
};

struct card;

/* Write an entry; without room the queue overruns: card->lose_cq() is called, once. */
void cq_add(struct card *card, uint32_t handle, const struct card_cqe *entry, bool solicited);

/* Arm the queue: the first entry after those that the program has read causes an event. */
void cq_arm(struct card *card, struct cq *cq, uint32_t read, bool only_solicited);

#endif
