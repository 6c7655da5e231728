/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

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

static void arm(struct steps *s, int64_t at)
{
	s->armed_ns = at;
	s->machine->arm(s->machine, at);
}

/* Less than the latency: a promise that the other gets only when it needs it makes it wait. */
static int64_t stride(const struct steps *s)
{
	return s->latency_ns - s->latency_ns / 10;
}

/* Delivers what has arrived by now; the arrival of the first one that has not, if there is one. */
static int64_t take(struct steps *s, int wire, uint64_t *taken, int64_t now)
{
	const struct frame *frame;

	while (*taken != atomic_load(&s->pair->other->sent[wire])) {
		frame = ring_at(&s->pair->in[wire], *taken);
		if (frame->arrival_ns > now)
			return frame->arrival_ns;
		if (frame->arrival_ns < now)
			pair_fail(s->pair, "a frame came %lld ns late", (long long)(now - frame->arrival_ns));
		s->machine->deliver(s->machine, wire, frame);
		*taken = ring_after(*taken, frame->size);
	}
	return INT64_MAX;
}

/* What is known at one time: how far this end may go, and the next that happens to it. */
struct view {
	int64_t edge, first, until;
	bool halted;
};

static struct view look(struct steps *s, int64_t now)
{
	const int64_t promised = promise_of_other(s->pair); /* before the rings: see promise.h */
	uint64_t taken[WIRES];
	struct view v = { .first = INT64_MAX };

	v.edge = promised > INT64_MAX - s->latency_ns ? INT64_MAX : promised + s->latency_ns;
	for (int wire = 0; wire < WIRES; wire++) {
		taken[wire] = atomic_load(&s->pair->mine->taken[wire]);
		v.first = least(v.first, take(s, wire, &taken[wire], now));
	}
	v.halted = s->machine->is_halted(s->machine);
	v.until = v.halted ? least(s->machine->next_ns(s->machine), v.first) : now;
	promise_make(s->pair, most(v.until, s->begin_ns), taken);
	return v;
}

static int64_t host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
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
		pair_require_other(s->pair);
		seen = atomic_load(&s->pair->other->changes);
	}
	mine->wait_ns += (uint64_t)(host_ns() - since);
	return v;
}

/* Who waits for this end's promise needs it a latency before its own next event: until then it can be left in peace. */
static int64_t next_step(const struct steps *s, const struct view *v, int64_t now)
{
	const int64_t wanted = v->edge - s->latency_ns - stride(s);

	return least(least(v->first, v->edge), most(now + stride(s), wanted));
}

void steps_run(struct steps *s)
{
	const int64_t now = now_of(s);
	struct view v;

	if (s->machine->next_ns(s->machine) <= now) {
		arm(s, now);
		return;
	}
	s->armed_ns = INT64_MIN; /* what is sent from here on has no need to arm it */
	s->pair->mine->steps++;
	v = await_view(s, now);
	arm(s, v.halted ? v.until : next_step(s, &v, now));
}

struct frame *steps_room(struct steps *s, int wire, size_t size)
{
	struct pair *const p = s->pair;
	const uint64_t sent = atomic_load(&p->mine->sent[wire]);

	if (!ring_has_room(sent, atomic_load(&p->other->taken[wire]), size) && !pair_is_alone(p))
		pair_fail(p, "more than %llu MiB are on the wire at once", (unsigned long long)RING_BYTES >> 20);
	return ring_at(&p->out[wire], sent);
}

/* The other's answer may come sooner than all that was known when the timer was armed. */
void steps_send(struct steps *s, int wire, const struct frame *frame)
{
	struct end *const mine = s->pair->mine;
	const int64_t now = now_of(s);
	uint64_t taken[WIRES];

	for (int each = 0; each < WIRES; each++)
		taken[each] = atomic_load(&mine->taken[each]);
	atomic_store(&mine->sent[wire], ring_after(atomic_load(&mine->sent[wire]), frame->size));
	promise_make(s->pair, now, taken);
	pair_tell(s->pair);
	if (now + stride(s) < s->armed_ns)
		arm(s, now + stride(s));
}
