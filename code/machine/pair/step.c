/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "promise.h"
#include "step.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t now_of(const struct steps *s)
{
	return s->machine->now_ns(s->machine);
}

static void step_arm(struct steps *s, int64_t at)
{
	s->armed_ns = at;
	s->machine->arm(s->machine, at);
}

/* The next frame to arrive over a wire; NULL if none is in flight. */
static const struct frame *next_frame(const struct steps *s, int wire)
{
	if (s->taken[wire] == atomic_load(&s->pair->other->sent[wire]))
		return NULL;
	return ring_at(&s->pair->in[wire], s->taken[wire]);
}

static void deliver(struct steps *s, int wire, int64_t now)
{
	const struct frame *frame;

	while ((frame = next_frame(s, wire)) && frame->arrival_ns <= now) {
		if (frame->arrival_ns < now)
			pair_fail(s->pair, "a frame came %lld ns late", (long long)(now - frame->arrival_ns));
		s->machine->deliver(s->machine, wire, frame);
		s->taken[wire] = ring_after(s->taken[wire], frame->size);
	}
}

/* The state at one time: how far this end may run, and its next event. */
struct view {
	int64_t edge, first, until;
	bool halted;
};

/* Reads the state, and promises accordingly. Frames that arrive now are not taken by that. */
static struct view look(struct steps *s, int64_t now)
{
	const int64_t promised = promise_of_other(s->pair); /* before the rings: see promise.h */
	struct view v = { .first = INT64_MAX };
	const struct frame *frame;

	v.edge = promised > INT64_MAX - s->latency_ns ? INT64_MAX : promised + s->latency_ns;
	for (int wire = 0; wire < WIRES; wire++) {
		frame = next_frame(s, wire);
		v.first = least(v.first, frame ? frame->arrival_ns : INT64_MAX);
	}
	v.halted = s->machine->is_halted(s->machine);
	v.until = v.halted ? least(s->machine->next_ns(s->machine), v.first) : now;
	promise_make(s->pair, most(v.until, s->begin_ns), s->taken);
	return v;
}

/* Waits until this end may continue: a halted one to its next event, a running one for at least a ns. */
static struct view await_view(struct steps *s, int64_t now)
{
	struct end *const mine = s->pair->mine;
	uint32_t seen = atomic_load(&s->pair->other->changes);
	struct view v = look(s, now);
	int64_t since;

	if (v.edge > v.until)
		return v;
	mine->waits++;
	for (since = host_ns(); v.edge <= v.until; v = look(s, now)) {
		pair_await(s->pair, seen);
		seen = atomic_load(&s->pair->other->changes);
	}
	mine->wait_ns += (uint64_t)(host_ns() - since);
	return v;
}

/* This timer is due meanwhile, so no timer that a card sets advances the clock of a halted machine. */
static void deliver_all(struct steps *s, int64_t now)
{
	s->machine->arm(s->machine, now);
	for (int wire = 0; wire < WIRES; wire++)
		deliver(s, wire, now);
	s->machine->arm(s->machine, INT64_MAX);
}

/* Frames that arrive now are delivered once all of them are known: else their order would depend on when this end
 * learns of them. The guest may answer at once, so the earlier view is void then. */
void steps_run(struct steps *s)
{
	const int64_t now = now_of(s);
	struct view v;

	if (s->machine->next_ns(s->machine) <= now) {
		step_arm(s, now);
		return;
	}
	s->armed_ns = INT64_MIN; /* frames sent from here on need not set it */
	s->pair->mine->steps++;
	v = await_view(s, now);
	if (v.first <= now) {
		deliver_all(s, now);
		v = await_view(s, now);
	}
	step_arm(s, v.halted ? v.until : least(v.first, v.edge));
}

struct frame *steps_room(struct steps *s, int wire, size_t size)
{
	return promise_room(s->pair, wire, size, now_of(s), s->taken);
}

/* The answer of the other end may arrive before all events that were known when the timer was set; it takes the latency
 * from the arrival of this frame. The clock of a halted machine must not advance before all frames of this ns are sent:
 * its next step is due now. */
void steps_send(struct steps *s, int wire, const struct frame *frame)
{
	struct end *const mine = s->pair->mine;
	const int64_t now = now_of(s), answer = frame->arrival_ns + s->latency_ns;

	atomic_store(&mine->sent[wire], ring_after(atomic_load(&mine->sent[wire]), frame->size));
	promise_make(s->pair, now, s->taken);
	pair_note(s->pair);
	if (answer < s->armed_ns)
		step_arm(s, s->machine->is_halted(s->machine) ? now : answer);
}
