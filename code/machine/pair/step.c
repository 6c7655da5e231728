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

/* The next frame that arrives over a wire; NULL if none is on its way. */
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

/* What is known at one time: how far this end may go, and the next that happens to it. */
struct view {
	int64_t edge, first, until;
	bool halted;
};

/* Promises by what it sees. What arrives now is not taken by that. */
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

/* Looks until this end may go on: a halted one to what happens next, another one by a ns at least. */
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

/* This timer is due meanwhile, so that none that a card arms by it moves a halted machine's clock on. */
static void deliver_all(struct steps *s, int64_t now)
{
	s->machine->arm(s->machine, now);
	for (int wire = 0; wire < WIRES; wire++)
		deliver(s, wire, now);
	s->machine->arm(s->machine, INT64_MAX);
}

/*
 * What arrives now is delivered once all of it is known: else its order would be that in which this end learns of it.
 * The guest may answer at once, so that the view of before holds no more.
 */
void steps_run(struct steps *s)
{
	const int64_t now = now_of(s);
	struct view v;

	if (s->machine->next_ns(s->machine) <= now) {
		step_arm(s, now);
		return;
	}
	s->armed_ns = INT64_MIN; /* what is sent from here on has no need to arm it */
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
	struct pair *const p = s->pair;
	const uint64_t sent = atomic_load(&p->mine->sent[wire]);

	if (!ring_has_room(sent, atomic_load(&p->other->taken[wire]), size) && !pair_is_alone(p))
		pair_fail(p, "more than %llu MiB are on the wire at once", (unsigned long long)RING_BYTES >> 20);
	return ring_at(&p->out[wire], sent);
}

/* The other's answer may come sooner than all that was known when the timer was armed, and takes the latency from when
 * this arrives. A halted machine's clock may not move on before all is sent that is sent now: its next step is due now.
 */
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
