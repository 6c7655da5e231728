/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of one machine of a pair: a timer of its clock that delivers frames that have arrived, promises, waits
 * until the machine may continue, and is set again. How often it runs depends on the host; what it delivers, and when,
 * does not.
 *
 * Of the events of one ns, those of the guest come first, with all events that they cause in the same ns; then frames
 * that arrive over the link, then those of the side network, each in the order of sending.
 */
#ifndef STEP_H
#define STEP_H

#include "pair.h"

/* The operations of a machine that steps need. */
struct machine {
	int64_t (*now_ns)(struct machine *);
	int64_t (*next_ns)(struct machine *); /* its next timer except this one, not before now; INT64_MAX: none */
	bool (*is_halted)(struct machine *);  /* its CPU does nothing before that timer */
	/* INT64_MAX: never. With its CPU halted, the clock advances to the first timer when that is set, by this or by
	 * a card: at once, unless one is due now. */
	void (*arm)(struct machine *, int64_t at_ns);
	void (*deliver)(struct machine *, int wire, const struct frame *);
};

struct steps {
	struct pair *pair;
	struct machine *machine;
	int64_t latency_ns;    /* no frame arrives sooner */
	int64_t begin_ns;      /* nothing is sent before this time */
	int64_t armed_ns;      /* the timer; none later is set meanwhile */
	uint64_t taken[WIRES]; /* positions in the rings of the other end, up to which all frames are delivered */
};

/* The timer has run out. While other events of this ns are still to come, it is only set again. */
void steps_run(struct steps *steps);

/* The memory of the next frame over a wire, by its size; then send it. It must not be written after that. */
struct frame *steps_room(struct steps *steps, int wire, size_t size);
void steps_send(struct steps *steps, int wire, const struct frame *frame);

#endif
