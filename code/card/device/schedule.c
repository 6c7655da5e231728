/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "schedule.h"

static bool is_before(const struct plan *a, const struct plan *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->order < b->order;
}

static void schedule_make_room(struct schedule *s)
{
	if (s->used < s->room)
		return;
	s->room = 2 * s->room + 64;
	s->heap = realloc(s->heap, s->room * sizeof(*s->heap));
	if (!s->heap)
		abort();
}

void schedule_plan(struct schedule *s, int64_t in_ps, void (*call)(struct card *, uint64_t, uint64_t), uint64_t first,
		   uint64_t second)
{
	const struct plan plan = {
		.at_ps = s->now_ps + in_ps, .order = s->order++, .call = call, .first = first, .second = second
	};
	size_t i = s->used;

	schedule_make_room(s);
	for (; i > 0 && is_before(&plan, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = plan;
	s->used++;
}

static size_t earlier_child(const struct schedule *s, size_t i)
{
	const size_t left = 2 * i + 1, right = left + 1;

	return right < s->used && is_before(&s->heap[right], &s->heap[left]) ? right : left;
}

static void sink(struct schedule *s, struct plan last)
{
	size_t i = 0, child;

	while ((child = earlier_child(s, i)) < s->used && is_before(&s->heap[child], &last)) {
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
}

bool schedule_take(struct schedule *s, int64_t until_ps, struct plan *plan)
{
	if (schedule_next(s) > until_ps)
		return false;
	*plan = s->heap[0];
	s->now_ps = plan->at_ps;
	if (--s->used)
		sink(s, s->heap[s->used]);
	return true;
}

int64_t schedule_next(const struct schedule *s)
{
	return s->used ? s->heap[0].at_ps : INT64_MAX;
}

void schedule_end(struct schedule *s)
{
	free(s->heap);
	*s = (struct schedule){ .used = 0 };
}
