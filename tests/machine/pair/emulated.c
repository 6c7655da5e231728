/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>

#include "check.h"
#include "emulated.h"

enum event { TIMER, ARRIVAL };
enum { LONG = 16 }; /* latencies */

static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
	z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
	return z ^ z >> 33;
}

static uint64_t draw(struct emulated *e, uint64_t below)
{
	e->random = mixed(e->random + 0x9e3779b97f4a7c15);
	return e->random % below;
}

static void note(struct emulated *e, enum event event, uint64_t value)
{
	e->digest = mixed(e->digest ^ mixed((uint64_t)e->now * 2 + event) ^ value);
}

static struct emulated *of(struct machine *machine)
{
	return (struct emulated *)machine;
}

static bool is_halted(struct machine *machine)
{
	return of(machine)->now >= of(machine)->busy_until;
}

/* As in QEMU: the clock of a halted machine advances at once when its first timer is set, by any caller. */
static void jump(struct emulated *e, int64_t at)
{
	if (e->steps.pair && is_halted(&e->machine) && at > e->now && at <= emulated_next(e))
		e->now = at;
}

static void add_timer(struct emulated *e, int64_t at)
{
	e->timers[e->timer_count++] = (struct timer){ at, e->armed++ };
	jump(e, at);
}

static bool is_before(struct timer a, struct timer b)
{
	return a.at < b.at || (a.at == b.at && a.order < b.order);
}

static int first_timer(const struct emulated *e)
{
	int first = 0;

	for (int i = 1; i < e->timer_count; i++)
		if (is_before(e->timers[i], e->timers[first]))
			first = i;
	return first;
}

static int64_t now_ns(struct machine *machine)
{
	return of(machine)->now;
}

static int64_t next_ns(struct machine *machine)
{
	return of(machine)->timers[first_timer(of(machine))].at;
}

static void arm(struct machine *machine, int64_t at)
{
	of(machine)->step = (struct timer){ at, of(machine)->armed++ };
	jump(of(machine), at);
}

static void deliver(struct machine *machine, int wire, const struct frame *frame)
{
	uint64_t value;

	memcpy(&value, frame->bytes, sizeof(value));
	emulated_receive(of(machine), wire, value);
}

/* In quarters of the latency, so that many events are in the same ns. */
static int64_t some_time(struct emulated *e)
{
	static const int64_t quarters[] = { 1, 2, 3, 4, 4, 8, 12, 20, 40 };

	return e->latency * quarters[draw(e, sizeof(quarters) / sizeof(*quarters))] / 4 + (draw(e, 8) == 0);
}

static void act_by_habit(struct emulated *e)
{
	const bool sends = draw(e, e->habit == SENDING ? 1 : LONG) == 0;

	if (e->habit == COMPUTING)
		e->busy_until = e->now + LONG * e->latency;
	if (sends)
		e->send(e, LINK, mixed(e->random));
}

static void act(struct emulated *e)
{
	if (e->habit != RESTLESS) {
		act_by_habit(e);
		return;
	}
	if (draw(e, 2))
		e->send(e, (int)draw(e, WIRES), mixed(e->random));
	if (draw(e, 4) == 0)
		e->busy_until = e->now + some_time(e);
	if (e->timer_count < TIMERS / 2)
		add_timer(e, e->now + (draw(e, 6) ? some_time(e) : 0));
}

void emulated_receive(struct emulated *e, int wire, uint64_t value)
{
	e->ties += e->last_timer == e->now || e->last_arrival == e->now;
	e->last_arrival = e->now;
	note(e, ARRIVAL, value * 2 + (uint64_t)wire);
	act(e);
}

int64_t emulated_next(const struct emulated *e)
{
	const struct timer own = e->timers[first_timer(e)];

	return is_before(e->step, own) ? e->step.at : own.at;
}

static void run_step(struct emulated *e)
{
	e->now = e->step.at;
	e->step.at = INT64_MAX;
	steps_run(&e->steps);
}

static void run_timer(struct emulated *e, int number)
{
	e->now = e->last_timer = e->timers[number].at;
	e->timers[number] = e->timers[--e->timer_count];
	note(e, TIMER, (uint64_t)e->timer_count);
	act(e);
	if (e->timer_count == 0)
		add_timer(e, e->now + e->latency * (e->habit ? 4 * LONG : 5) / 4);
}

static void run_next(struct emulated *e)
{
	const int first = first_timer(e);

	if (is_before(e->step, e->timers[first]))
		run_step(e);
	else
		run_timer(e, first);
}

static void send(struct emulated *e, int wire, uint64_t value)
{
	struct frame *const frame = steps_room(&e->steps, wire, VALUE_BYTES);

	if (wire_send(&e->wires[wire], e->now, VALUE_BYTES, &frame->arrival_ns) != CARRIED)
		return;
	frame->size = VALUE_BYTES;
	memcpy(frame->bytes, &value, sizeof(value));
	steps_send(&e->steps, wire, frame);
}

void emulated_start(struct emulated *e, uint64_t seed, int end, const struct wire_model *link)
{
	const struct wire_model cable = { .latency_ns = link->latency_ns };

	memset(e, 0, sizeof(*e));
	e->latency = link->latency_ns;
	e->random = seed * ENDS + (uint64_t)end;
	e->last_timer = e->last_arrival = -1;
	e->wires[LINK] = wire_new(link, seed, end, &e->counts[LINK]);
	e->wires[SIDE] = wire_new(&cable, seed, end, &e->counts[SIDE]);
	e->step.at = INT64_MAX;
	add_timer(e, some_time(e));
}

void emulated_wake_at(struct emulated *e, int64_t at)
{
	add_timer(e, at);
}

void emulated_join(struct emulated *e, struct pair *pair)
{
	e->machine = (struct machine){ now_ns, next_ns, is_halted, arm, deliver };
	e->steps = (struct steps){ .pair = pair, .machine = &e->machine, .latency_ns = e->latency };
	e->send = send;
	arm(&e->machine, 0);
}

void emulated_run(struct emulated *e, int64_t until)
{
	while (emulated_next(e) <= until)
		run_next(e);
}

void flight_add(struct flight *f, struct wire *wire, int64_t now, uint64_t value)
{
	assert_in_range(f->count, 0, FLIGHT - 1);
	if (wire_send(wire, now, VALUE_BYTES, &f->arrival[f->count]) == CARRIED)
		f->value[f->count++] = value;
}

int64_t flight_next(const struct flight *f)
{
	return f->first < f->count ? f->arrival[f->first] : INT64_MAX;
}

int64_t emulated_next_of(const struct emulated *e, const struct flight in[WIRES])
{
	int64_t next = emulated_next(e);

	for (int wire = 0; wire < WIRES; wire++)
		next = flight_next(&in[wire]) < next ? flight_next(&in[wire]) : next;
	return next;
}

void emulated_step_of(struct emulated *e, struct flight in[WIRES], int64_t now)
{
	if (emulated_next(e) == now) {
		run_next(e);
		return;
	}
	e->now = now;
	for (int wire = 0; wire < WIRES; wire++)
		while (flight_next(&in[wire]) == now)
			emulated_receive(e, wire, in[wire].value[in[wire].first++]);
}

int pair_file(char path[64])
{
	const int file = memfd_create("pair", MFD_CLOEXEC);

	snprintf(path, 64, "/proc/self/fd/%d", file);
	return file;
}

void pair_forget(struct pair *pair)
{
	for (int wire = 0; wire < WIRES; wire++) {
		munmap(pair->in[wire].memory, 2 * RING_BYTES);
		munmap(pair->out[wire].memory, 2 * RING_BYTES);
	}
	munmap(pair->end ? pair->other : pair->mine, ENDS * END_BYTES);
	close(pair->file);
}
