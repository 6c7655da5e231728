/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the CPU halts, the main thread of QEMU advances the clock to the next timer. It considers the CPU halted a
 * moment before the last instructions are counted (QEMU 7.2: helper_hlt sets `halted`, icount_process_data counts
 * later). A main thread that is awake at that moment computes the jump from an old count, and those instructions are
 * added to it: a few ns too many, once in about 10,000 halts on a busy host.
 *
 * The main thread does this with the big lock. So another thread that wants the lock waits here until the CPU has
 * counted and is stopped, and a kick makes it stop soon. Where in its instructions it is kicked does not change the
 * guest.
 *
 * The CPU itself does the jump: it is about to sleep then, has the lock, and all instructions are counted. The way to
 * the main thread and back took ten times as long as the rest of a halt.
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
	atomic_int wanting; /* other threads that wait for the lock, or have just taken it */
	bool runs;          /* the CPU is started, and does not wait to be woken */
	bool stands;        /* it waits until no other thread wants the lock */
	bool jumps;         /* advances the clock itself, when it halts */
	bool is_alone;      /* there is no thread that could wake it */
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

/* The thread of the CPU takes the lock between two runs of the guest, and for devices within one. */
static bool is_between_runs(const char *file)
{
	static const char *between,
		*within; /* strings of QEMU, of which there are few: comparing their text took a fifteenth of a trial */

	if (file != between && file != within)
		*(strstr(file, "tcg-accel-ops-rr") ? &between : &within) = file;
	return file == between;
}

/* What the main thread of QEMU does, where there is one. */
_Noreturn static void turns_exit(void)
{
	exit(qemu_shutdown_requested_get() ? qemu_main_loop() : EXIT_SUCCESS);
}

/* A guest that was shut down executes until it is ended. */
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
		end_turn(); /* with the lock: the CPU can continue only when it is released */
}

/* Advance to the next timer; false if there is none. */
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
	pthread_cond_init(&turns.stood, NULL); /* their waiters were not copied, and waking them would take for ever */
	pthread_cond_init(&turns.goes_on, NULL);
	turns.wanting = 0;
	turns.is_alone = true;
}
