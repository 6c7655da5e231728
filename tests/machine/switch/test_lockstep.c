/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines and a switch in a thread each, at whatever speed the host gives them. */
#include <pthread.h>
#include <sys/mman.h>

#include "bridge.h"
#include "check.h"
#include "station.h"

enum { CASES = 150, LATENCIES = 60, ENDED_WELL = 33, MOST = 4, FLIGHT = 8192 };

static struct bridge bridge;
static struct station stations[MOST];
static int64_t until;
static int count;

static void *run_station(void *opaque)
{
	struct station *const s = opaque;

	emulated_run(&s->machine, until);
	pair_leave(&s->pair, ENDED_WELL);
	return NULL;
}

static void *run_bridge(void *nothing)
{
	(void)nothing;
	bridge_run(&bridge);
	return NULL;
}

static void plug(int port, uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	const int file = memfd_create("pair", MFD_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	stations[port].number = port;
	stations[port].count = count;
	assert_true(station_open(&stations[port], seed, path, link));
	assert_true(bridge_plug(&bridge, path, queue));
	close(file);
}

static struct counts sent[MOST][WIRES]; /* by each port */

static void run_threads(uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	pthread_t threads[MOST + 1];

	memset(&bridge, 0, sizeof(bridge));
	for (int i = 0; i < count; i++)
		plug(i, seed, link, queue);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run_station, &stations[i]);
	pthread_create(&threads[count], NULL, run_bridge, NULL);
	for (int i = 0; i <= count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < count; i++) {
		memcpy(sent[i], bridge.ports[i].pair.mine->counts, sizeof(sent[i]));
		pair_forget(&stations[i].pair);
		pair_forget(&bridge.ports[i].pair);
	}
}

/* The same in one thread, one event after the other: no promises, no rings, and addresses are numbers. */
struct flight {
	int64_t arrival[FLIGHT];
	uint64_t value[FLIGHT];
	int first, count;
};

static struct model {
	struct station station;              /* without a pair */
	struct flight in[WIRES], out[WIRES]; /* to the switch, to the machine */
	struct wire wires[WIRES];
	struct counts counts[WIRES];
	bool is_known[WIRES];
} models[MOST];
static uint64_t ties;

static void carry(struct wire *wire, struct flight *f, int64_t now, uint64_t value)
{
	assert_in_range(f->count, 0, FLIGHT - 1);
	if (wire_send(wire, now, VALUE_BYTES, &f->arrival[f->count]) == CARRIED)
		f->value[f->count++] = value;
}

static void put(struct emulated *e, int wire, uint64_t value)
{
	carry(&e->wires[wire], &((struct model *)e)->in[wire], e->now, value);
}

static int64_t next_of(const struct flight *f)
{
	return f->first < f->count ? f->arrival[f->first] : INT64_MAX;
}

static int64_t next_at(const struct model *m)
{
	const int64_t arrivals[] = { next_of(&m->out[LINK]), next_of(&m->out[SIDE]) };
	int64_t next = emulated_next(&m->station.machine);

	for (int wire = 0; wire < WIRES; wire++)
		next = arrivals[wire] < next ? arrivals[wire] : next;
	return next;
}

static void step(struct model *m, int64_t now)
{
	struct emulated *const e = &m->station.machine;

	if (emulated_next(e) == now) {
		emulated_step(e);
		return;
	}
	e->now = now;
	for (int wire = 0; wire < WIRES; wire++)
		while (next_of(&m->out[wire]) == now)
			emulated_receive(e, wire, m->out[wire].value[m->out[wire].first++]);
}

static void distribute(int from, int wire, int64_t now, uint64_t value)
{
	const int to = station_of(&models[from].station, value);
	const bool is_for_all = to == count || !models[to].is_known[wire];

	models[from].is_known[wire] = true;
	for (int i = 0; i < count; i++)
		if (i != from && (i == to || is_for_all))
			carry(&models[i].wires[wire], &models[i].out[wire], now, value);
}

/* The first that arrives at the switch: of one ns the lower port's, and the link's before the side's. */
static struct flight *first_at_switch(int *port, int *wire)
{
	struct flight *first = &models[0].in[0];

	for (int i = *port = *wire = 0; i < count * WIRES; i++) {
		struct flight *const f = &models[i / WIRES].in[i % WIRES];

		ties += i / WIRES != *port && next_of(f) == next_of(first) && next_of(f) < INT64_MAX;
		if (next_of(f) < next_of(first)) {
			first = f;
			*port = i / WIRES;
			*wire = i % WIRES;
		}
	}
	return first;
}

static struct model *first_machine(void)
{
	struct model *first = models;

	for (int i = 1; i < count; i++)
		if (next_at(&models[i]) < next_at(first))
			first = &models[i];
	return first;
}

static void start_model(int number, uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	const struct wire_model cable = { .latency_ns = link->latency_ns };
	struct model *const m = &models[number];

	memset(m, 0, sizeof(*m));
	emulated_start(&m->station.machine, seed, number, link);
	m->station.machine.send = put;
	m->station.number = number;
	m->station.count = count;
	m->wires[LINK] = wire_new(queue, 0, 1, &m->counts[LINK]);
	m->wires[SIDE] = wire_new(&cable, 0, 1, &m->counts[SIDE]);
}

static void run_reference(void)
{
	for (;;) {
		struct model *const m = first_machine();
		int port, wire;
		struct flight *const f = first_at_switch(&port, &wire);
		const int64_t arrival = next_of(f), next = next_at(m);

		if (next > until && arrival == INT64_MAX)
			return;
		if (arrival <= next || next > until)
			distribute(port, wire, arrival, f->value[f->first++]);
		else
			step(m, next);
	}
}

static struct wire_model some_link(uint64_t seed)
{
	static const int64_t latencies[] = { 1, 4, 1000, 2000, 10000 };

	return (struct wire_model){ .latency_ns = latencies[seed % 5], .loss_ppm = seed % 7 ? 0 : 200000 };
}

static struct wire_model some_queue(uint64_t seed, int64_t latency_ns)
{
	static const uint64_t rates[] = { 0, 1000000000, 300000007 };

	return (struct wire_model){ .latency_ns = latency_ns,
				    .rate_bit_s = rates[seed % 3],
				    .queue_bytes = seed % 2 ? 0 : 300 };
}

TEST(threads_see_what_one_computes)
{
	uint64_t frames = 0, dropped = 0;

	for (uint64_t seed = 0; seed < CASES; seed++) {
		const struct wire_model link = some_link(seed), queue = some_queue(seed, link.latency_ns);

		count = 2 + (int)(seed % 3);
		until = link.latency_ns * LATENCIES;
		for (int i = 0; i < count; i++)
			start_model(i, seed, &link, &queue);
		run_reference();
		run_threads(seed, &link, &queue);
		for (int i = 0; i < count; i++) {
			assert_int_equal(stations[i].machine.digest, models[i].station.machine.digest);
			assert_memory_equal(sent[i], models[i].counts, sizeof(sent[i]));
			frames += sent[i][LINK].frames + sent[i][SIDE].frames;
			dropped += sent[i][LINK].dropped;
		}
	}
	assert_in_range(frames, CASES * 30, UINT64_MAX);
	assert_in_range(dropped, frames / 100, UINT64_MAX);
	assert_in_range(ties, frames / 20, UINT64_MAX); /* else this has not shown their order */
}

int main(void)
{
	return check_run("lockstep", NULL, NULL);
}
