/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part that takes packets from queue pairs in turn, one each, and fetches what is in them. It keeps just so far
 * ahead of the line that this never waits for it.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <sys/queue.h>

#include "port.h"

struct qp;

/* Packets of one queue pair in their order: its requests, or its answers to the other's. */
struct flow {
	TAILQ_ENTRY(flow) entry;
	bool is_waiting;
	/* The next packet; false if there is none now: wake it when there is. */
	bool (*next)(struct card *, struct qp *, struct leaving *);
	struct qp *qp;
};

struct engine {
	TAILQ_HEAD(, flow) waiting;
	bool is_planned;
	int64_t free_ps, bus_ps; /* when it, and the bus, is free for the next */
	int64_t line_ps;         /* when the line is free of all that has passed here */
	int64_t ready_ps;        /* when the last one of these is ready to leave */
};

/* Nothing waits. */
void engine_start(struct engine *engine);

/* A flow has a packet, or may have. */
void engine_wake(struct card *card, struct flow *flow);

/* It has none any more. */
void engine_forget(struct card *card, struct flow *flow);

#endif
