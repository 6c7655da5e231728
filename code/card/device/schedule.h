/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Planned calls, in the order of their times; at the same time, in the order of planning. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card;

/* A planned call, with two values. */
struct plan {
	int64_t at_ps;
	uint64_t order;
	void (*call)(struct card *, uint64_t first, uint64_t second);
	uint64_t first, second;
};

struct schedule {
	int64_t now_ps; /* the planned time of the present call */
	struct plan *heap;
	size_t used, room;
	uint64_t order;
};

/* The later of two times. */
static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Plan a call a time after now. */
void schedule_plan(struct schedule *schedule, int64_t in_ps, void (*call)(struct card *, uint64_t, uint64_t),
		   uint64_t first, uint64_t second);

/* Take the first plan if it is due at a time, and make its time the present one. */
bool schedule_take(struct schedule *schedule, int64_t until_ps, struct plan *plan);

/* The time of the first plan; INT64_MAX: there is none. */
int64_t schedule_next(const struct schedule *schedule);

/* Forget all plans. */
void schedule_end(struct schedule *schedule);

#endif
