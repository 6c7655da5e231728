/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Things to come, in the order of their times; of one time, in the order in which they were planned. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card;

/* What happens: `call` with the two values. */
struct plan {
	int64_t at_ps;
	uint64_t order;
	void (*call)(struct card *, uint64_t first, uint64_t second);
	uint64_t first, second;
};

struct schedule {
	int64_t now_ps; /* the time for which what happens now was planned */
	struct plan *heap;
	size_t used, room;
	uint64_t order;
};

/* The later of two times. */
static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Plan a call some time after now. */
void schedule_plan(struct schedule *schedule, int64_t in_ps, void (*call)(struct card *, uint64_t, uint64_t),
		   uint64_t first, uint64_t second);

/* Take the first plan if it is due at a time; that of the plan is the present one from then on. */
bool schedule_take(struct schedule *schedule, int64_t until_ps, struct plan *plan);

/* The time of the first; INT64_MAX: there is none. */
int64_t schedule_next(const struct schedule *schedule);

/* Forget all plans. */
void schedule_end(struct schedule *schedule);

#endif
