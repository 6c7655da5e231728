/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of few instructions: a queue is rarely used by two threads at once, and never for long. */
#ifndef LOCK_H
#define LOCK_H

#include <sched.h>
#include <stdatomic.h>

struct lock {
	atomic_flag taken;
};

static inline void lock_take(struct lock *l)
{
	while (atomic_flag_test_and_set_explicit(&l->taken, memory_order_acquire))
		sched_yield();
}

static inline void lock_give(struct lock *l)
{
	atomic_flag_clear_explicit(&l->taken, memory_order_release);
}

#endif
