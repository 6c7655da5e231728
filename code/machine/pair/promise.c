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
