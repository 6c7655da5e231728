/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the processor halts, QEMU's main thread moves the clock on to the next timer. It takes the processor for halted
 * a moment before the last instructions are counted (QEMU 7.2: helper_hlt sets `halted`, icount_process_data counts
 * later). A main thread that happens to be awake in that moment computes the jump from an old count, and those
 * instructions come on top of it: a few ns too many, once in some 10,000 halts on a busy computer.
 *
 * All that it does, it does with the big lock. So another thread that wants the lock here waits until the processor has
 * counted and stands still, and a kick makes it do so soon. Where in its instructions it is kicked changes nothing for
 * the guest.
 *
 * The jump itself is the processor's: it is about to sleep then, with the lock, and all is counted. To go to the main
 * thread and back took ten times as long as the rest of a halt.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"
#include "turns.h"

static struct turns {
	pthread_mutex_t mutex;
	pthread_cond_t stood, goes_on;
	atomic_int wanting; /* other threads that wait for the lock, or have just got it */
	bool runs;          /* the processor has begun, and does not wait to be woken */
	bool stands;        /* it waits until nobody wants the lock */
	bool jumps;         /* by itself, when it halts */
	bool is_alone;      /* none of those is there who could wake it */
	lock_call *lock;
	wait_call *wait;
} turns = { .mutex = PTHREAD_MUTEX_INITIALIZER,
	    .stood = PTHREAD_COND_INITIALIZER,
	    .goes_on = PTHREAD_COND_INITIALIZER };

static void set_runs(bool runs)
{
	pthread_mutex_lock(&turns.mutex);
	turns.runs = runs;
	pthread_cond_broadcast(&turns.stood);
	pthread_mutex_unlock(&turns.mutex);
}

static void stand(void)
{
	pthread_mutex_lock(&turns.mutex);
	turns.stands = true;
	pthread_cond_broadcast(&turns.stood);
	while (turns.wanting)
		pthread_cond_wait(&turns.goes_on, &turns.mutex);
	turns.stands = false;
	pthread_mutex_unlock(&turns.mutex);
}

static void await_turn(void)
{
	pthread_mutex_lock(&turns.mutex);
	turns.wanting++;
	if (turns.runs)
		qemu_cpu_kick(qemu_get_cpu(0));
	while (turns.runs && !turns.stands)
		pthread_cond_wait(&turns.stood, &turns.mutex);
	pthread_mutex_unlock(&turns.mutex);
}

static void end_turn(void)
{
	pthread_mutex_lock(&turns.mutex);
	if (--turns.wanting == 0)
		pthread_cond_broadcast(&turns.goes_on);
	pthread_mutex_unlock(&turns.mutex);
}

/* The processor's thread locks between two runs of the guest, and for a device in the midst of one. */
static bool is_between_runs(const char *file)
{
	static const char *between,
		*within; /* QEMU's own strings, which are few: comparing letters took a fifteenth of a trial */

	if (file != between && file != within)
		*(strstr(file, "tcg-accel-ops-rr") ? &between : &within) = file;
	return file == between;
}

/* What QEMU's main thread does in a machine that has one. */
_Noreturn static void turns_exit(void)
{
	exit(qemu_shutdown_requested_get() ? qemu_main_loop() : EXIT_SUCCESS);
}

/* A guest that has gone off executes on until it is ended. */
static void stand_aside(void)
{
	if (turns.is_alone && qemu_shutdown_requested_get())
		turns_exit();
	if (turns.wanting)
		stand();
}

static void turns_lock(void *big, const char *file, int line)
{
	const bool is_other = !qemu_in_vcpu_thread();

	if (is_other)
		await_turn();
	else if (is_between_runs(file))
		stand_aside();
	turns.lock(big, file, line);
	if (is_other)
		end_turn(); /* with the lock: the processor can go on only when it is given back */
}

/* Whether there was a next timer. */
static bool turns_jump(void)
{
	if (!turns.jumps || !runstate_is_running() || qemu_shutdown_requested_get() ||
	    qemu_clock_deadline_ns_all(CLOCK_VIRTUAL, ALL_TIMERS) < 0)
		return false;
	icount_start_warp_timer();
	qemu_clock_run_timers(CLOCK_VIRTUAL);
	return true;
}

static void turns_wait(void *condition, void *big, const char *file, int line)
{
	const bool is_processor = qemu_in_vcpu_thread();

	if (is_processor && turns_jump())
		return;
	if (is_processor && turns.is_alone)
		turns_exit();
	if (is_processor)
		set_runs(false);
	turns.wait(condition, big, file, line);
	if (is_processor)
		set_runs(true);
}

void turns_take(bool jumps)
{
	turns.jumps = jumps;
	turns.lock = qemu_bql_mutex_lock_func;
	turns.wait = qemu_cond_wait_func;
	qemu_bql_mutex_lock_func = turns_lock;
	qemu_cond_wait_func = turns_wait;
}

void turns_alone(void)
{
	pthread_mutex_init(&turns.mutex, NULL);
	pthread_cond_init(&turns.stood, NULL); /* who waited there was not copied, and to wake it would take for ever */
	pthread_cond_init(&turns.goes_on, NULL);
	turns.wanting = 0;
	turns.is_alone = true;
}
