/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One machine's steps beside the other: a timer of its clock that delivers what has arrived, promises, waits until it
 * may go on, and arms itself anew. How often it runs depends on the host; what it delivers, and when, does not.
 *
 * Of two events in the same ns, the guest's own come first, those after them that they cause in the same ns too; then
 * what arrives over the link, then what arrives over the side network, each in the order in which it was sent.
 */
#ifndef STEP_H
#define STEP_H

#include "pair.h"

/* What steps ask of their machine. */
struct machine {
	int64_t (*now_ns)(struct machine *);
	int64_t (*next_ns)(struct machine *); /* its next timer but this one, not before now; INT64_MAX: none */
	bool (*is_halted)(struct machine *);  /* its processor does nothing before that timer */
	/* INT64_MAX: not at all. With its processor halted, the clock goes on to the first timer when that is armed, by
	 * this or by a card: at once, unless one is due now. */
	void (*arm)(struct machine *, int64_t at_ns);
	void (*deliver)(struct machine *, int wire, const struct frame *);
};

struct steps {
	struct pair *pair;
	struct machine *machine;
	int64_t latency_ns;    /* what is sent never arrives sooner */
	int64_t begin_ns;      /* nothing is sent before */
	int64_t armed_ns;      /* the timer; none later is armed meanwhile */
	uint64_t taken[WIRES]; /* positions in the other's rings: before it, all is delivered */
};

/* The timer runs: with all else that is due now still to come, it only arms itself again. */
void steps_run(struct steps *steps);

/* Where the next frame over a wire is to be written, its size known; then it is sent, and may not be written any more.
 */
struct frame *steps_room(struct steps *steps, int wire, size_t size);
void steps_send(struct steps *steps, int wire, const struct frame *frame);

#endif
