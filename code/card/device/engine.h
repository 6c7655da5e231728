/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part that takes packets from queue pairs in turn, one each, and fetches their payloads. It stays just far enough
 * ahead of the link that the link never waits for it. */
#ifndef ENGINE_H
#define ENGINE_H

#include <sys/queue.h>

#include "port.h"
#include "rate.h"

struct qp;

/* The packets of one queue pair in order: its requests, or its answers. */
struct flow {
	TAILQ_ENTRY(flow) entry;
	bool is_waiting, is_held;
	/* The next packet; false if there is none now: the flow must be woken when there is. */
	bool (*next)(struct card *, struct qp *, struct leaving *);
	struct qp *qp;
	struct rate *rate; /* of the queue pair, which holds its flows until the next packet may be taken */
};

struct engine {
	TAILQ_HEAD(flows, flow) waiting, held;
	bool is_planned;
	int64_t free_ps, bus_ps; /* when the engine, and the bus, is free for the next packet */
	int64_t line_ps;         /* when the link is free of all packets of the engine */
	int64_t ready_ps;        /* when the last of these packets is ready */
};

/* An idle engine. */
void engine_start(struct engine *engine);

/* Wake a flow that has, or may have, a packet. */
void engine_wake(struct card *card, struct flow *flow);

/* Remove a flow from those that wait. */
void engine_forget(struct card *card, struct flow *flow);

#endif
