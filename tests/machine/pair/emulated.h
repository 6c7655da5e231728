/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine with a clock and timers, but no CPU: its guest does, at random by a seed, all that another machine can
 * observe of a real one. It sends, sets timers, some for the same ns, and is busy or halted. All its events go into a
 * digest. */
#ifndef EMULATED_H
#define EMULATED_H

#include "step.h"
#include "wire.h"

enum { TIMERS = 16, VALUE_BYTES = 64, FLIGHT = 8192 };

struct emulated {
	struct machine machine;
	struct steps steps;
	struct wire wires[WIRES];
	struct counts counts[WIRES];
	struct timer {
		int64_t at;
		uint64_t order; /* of two for the same ns, the one armed first runs first, as in QEMU */
	} timers[TIMERS], step;
	int timer_count;
	uint64_t armed, random, digest;
	int64_t now, busy_until, latency;
	/* A guest that does nothing but send, at each event and after emulated_wake_at(); or compute after each one. */
	enum habit { RESTLESS, SENDING, COMPUTING } habit;
	int64_t last_timer, last_arrival; /* when one of each was last */
	uint64_t ties;                    /* arrivals in the ns of a timer, or of another arrival */
	void (*send)(struct emulated *, int wire, uint64_t value);
};

/* A guest that starts at 0. Its wires are those of the model, of which SIDE has the latency only. */
void emulated_start(struct emulated *e, uint64_t seed, int end, const struct wire_model *link);

/* Set another timer. */
void emulated_wake_at(struct emulated *e, int64_t at);

/* Run it beside another one until a time. */
void emulated_join(struct emulated *e, struct pair *pair);
void emulated_run(struct emulated *e, int64_t until);

/* A new file for a pair, in memory, and its path. */
int pair_file(char path[64]);

/* Let go of what a pair has mapped, and of its file. */
void pair_forget(struct pair *pair);

/* The time of its next timer or step, and what arrives. */
int64_t emulated_next(const struct emulated *e);
void emulated_receive(struct emulated *e, int wire, uint64_t value);

/* Values on a wire, for a test that runs all machines in one thread, without promises and rings. */
struct flight {
	int64_t arrival[FLIGHT];
	uint64_t value[FLIGHT];
	int first, count;
};

void flight_add(struct flight *flight, struct wire *wire, int64_t now, uint64_t value);
int64_t flight_next(const struct flight *flight); /* INT64_MAX: nothing arrives */

/* The next event of a machine to which these values fly, and that event. */
int64_t emulated_next_of(const struct emulated *e, const struct flight in[WIRES]);
void emulated_step_of(struct emulated *e, struct flight in[WIRES], int64_t now);

#endif
