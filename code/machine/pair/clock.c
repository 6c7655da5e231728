/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "clock.h"
#include "qemu.h"

static struct timer *timer;
static bool is_trusted;

static int64_t now_ns(struct machine *m)
{
	(void)m;
	return qemu_clock_get_ns(CLOCK_VIRTUAL);
}

static int64_t next_ns(struct machine *m)
{
	const int64_t in = timerlist_deadline_ns(qemu_clock_get_main_loop_timerlist(CLOCK_VIRTUAL));

	return in < 0 ? INT64_MAX : now_ns(m) + in;
}

/* A timer of another list, of which none is known, could have any effect on the guest. */
static bool is_halted(struct machine *m)
{
	const int64_t in = qemu_clock_deadline_ns_all(CLOCK_VIRTUAL, ALL_TIMERS);

	return all_cpu_threads_idle() && (in < 0 || now_ns(m) + in >= next_ns(m));
}

static void clock_arm(struct machine *m, int64_t at)
{
	(void)m;
	if (at == INT64_MAX)
		timer_del(timer);
	else
		timer_mod_ns(timer, at);
}

struct machine *clock_machine(void (*deliver)(struct machine *, int wire, const struct frame *))
{
	static struct machine machine = { now_ns, next_ns, is_halted, clock_arm, NULL };

	machine.deliver = deliver;
	return &machine;
}

static void notify_nobody(void *nobody, int clock)
{
	(void)nobody, (void)clock;
}

/* When timers of the virtual clock have run out in the thread of the CPU, QEMU wakes the threads of all lists of such
 * timers: its main thread and that of the monitor, which have none. */
static void quiet_other_threads(void)
{
	struct timer_list *const own = qemu_clock_get_main_loop_timerlist(CLOCK_VIRTUAL);

	for (struct timer_list *list = own->clock->first; list; list = list->next)
		if (list != own)
			list->notify = notify_nobody;
}

static void clock_run(void *steps)
{
	steps_run(steps);
}

static void running(void *opaque, bool is_running, int state)
{
	struct steps *const steps = opaque;

	(void)state;
	if (!is_running)
		return;
	if (is_trusted)
		quiet_other_threads();
	clock_go_on(steps);
}

void clock_go_on(struct steps *steps)
{
	steps->armed_ns = now_ns(steps->machine);
	clock_arm(steps->machine, steps->armed_ns);
}

static struct once {
	struct timer *timer;
	int64_t at;
	void (*call)(void);
} once;

static void arm_once(void *nothing, bool is_running, int state)
{
	(void)nothing, (void)state;
	if (is_running)
		timer_mod_ns(once.timer, once.at);
}

static void call_once(struct processor *first, union work_data nothing)
{
	(void)first, (void)nothing;
	once.call();
}

/* The main thread of QEMU, if awake by chance, runs timers too. */
static void leave_to_processor(void *nothing)
{
	(void)nothing;
	async_run_on_cpu(qemu_get_cpu(0), call_once, (union work_data){ 0 });
}

void clock_call(int64_t at, void (*call)(void))
{
	once = (struct once){ calloc(1, TIMER_BYTES), at, call };
	timer_init_full(once.timer, NULL, CLOCK_VIRTUAL, NS, 0, leave_to_processor, NULL);
	qemu_add_vm_change_state_handler(arm_once, NULL);
}

void clock_start(struct steps *steps, bool trusted)
{
	is_trusted = trusted;
	timer = calloc(1, TIMER_BYTES);
	timer_init_full(timer, NULL, CLOCK_VIRTUAL, NS, 0, clock_run, steps);
	qemu_add_vm_change_state_handler(running, steps);
}

enum { BEAT_NS = 1000000 };

static void clock_schedule_beat(void *nothing)
{
	(void)nothing;
	timer_mod_ns(timer, qemu_clock_get_ns(CLOCK_VIRTUAL) + BEAT_NS);
}

static void start_beating(void *nothing, bool is_running, int state)
{
	(void)state;
	if (is_running)
		clock_schedule_beat(nothing);
}

/* Before the main thread of QEMU pauses a machine, it advances the clock of a halted one to the next timer, and whether
 * that timer still runs depends on the host: one snapshot in five had run a timer of the guest, on a busy host. */
void clock_beat(void)
{
	timer = calloc(1, TIMER_BYTES);
	timer_init_full(timer, NULL, CLOCK_VIRTUAL, NS, 0, clock_schedule_beat, NULL);
	qemu_add_vm_change_state_handler(start_beating, NULL);
}
