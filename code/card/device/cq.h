/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion queues: a ring of entries in the program's memory. */
#ifndef CQ_H
#define CQ_H

#include "object.h"

struct cq {
	struct object is;
	uint32_t entries, channel; /* a file's number; 0: none */
	uint32_t solicited;        /* entries written up to the last one that a solicited event is for */
	uint64_t produced;
	bool is_overrun;
	enum { UNARMED, ARMED, ARMED_SOLICITED } armed;
};

struct card;

/* Write an entry; if there is no room, the queue overruns: card->lose_cq() is called, once. */
void cq_add(struct card *card, uint32_t handle, const struct card_cqe *entry, bool solicited);

/* The program wants an event for the next entry after those that it has read. */
void cq_arm(struct card *card, struct cq *cq, uint32_t read, bool only_solicited);

#endif
