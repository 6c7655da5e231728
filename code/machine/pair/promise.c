/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "promise.h"

static bool is_made(const struct end *mine, int64_t until, const uint64_t taken[WIRES])
{
	return atomic_load(&mine->until_ns) == until && atomic_load(&mine->taken[LINK]) == taken[LINK] &&
	       atomic_load(&mine->taken[SIDE]) == taken[SIDE];
}

/* `until_ns` first: a reader that sees a new `taken` must not see an older, later `until_ns` with it. */
void promise_make(struct pair *p, int64_t until, const uint64_t taken[WIRES])
{
	if (is_made(p->mine, until, taken))
		return;
	atomic_store(&p->mine->until_ns, until);
	for (int wire = 0; wire < WIRES; wire++)
		atomic_store(&p->mine->taken[wire], taken[wire]);
	pair_note(p);
}

static void land(struct pair *p, int wire, uint64_t sent, int64_t now)
{
	const struct frame *frame;

	for (; p->landed[wire] != sent; p->landed[wire] = ring_after(p->landed[wire], frame->size)) {
		frame = ring_at(&p->out[wire], p->landed[wire]);
		if (frame->arrival_ns >= now)
			return;
	}
}

/* Both ends may wait here: each has taken what arrived before its own time, so the earlier one goes on. */
struct frame *promise_room(struct pair *p, int wire, size_t size, int64_t now, const uint64_t taken[WIRES])
{
	const uint64_t sent = atomic_load(&p->mine->sent[wire]);
	uint32_t seen;

	for (;;) {
		seen = atomic_load(&p->other->changes);
		if (pair_is_alone(p)) {
			p->landed[wire] = sent; /* nobody reads this or any later frame */
			break;
		}
		land(p, wire, sent, now);
		if (!ring_has_room(sent, p->landed[wire], size))
			pair_fail(p, "more than %llu MiB are in flight at once", (unsigned long long)RING_BYTES >> 20);
		if (ring_has_room(sent, atomic_load(&p->other->taken[wire]), size))
			break;
		promise_make(p, now, taken);
		pair_await(p, seen);
	}
	return ring_at(&p->out[wire], sent);
}

/* A value read in this order never exceeds the promise: see promise_make(). */
int64_t promise_of_other(struct pair *p)
{
	uint64_t taken[WIRES];
	int64_t until;

	if (atomic_load(&p->other->gone) != HERE) {
		pair_require_other(p);
		return INT64_MAX;
	}
	for (int wire = 0; wire < WIRES; wire++)
		taken[wire] = atomic_load(&p->other->taken[wire]);
	until = atomic_load(&p->other->until_ns);
	for (int wire = 0; wire < WIRES; wire++)
		if (taken[wire] != atomic_load(&p->mine->sent[wire]) &&
		    ring_at(&p->out[wire], taken[wire])->arrival_ns < until)
			until = ring_at(&p->out[wire], taken[wire])->arrival_ns;
	return until;
}
