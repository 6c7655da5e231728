/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines and a switch in a thread each, at whatever speed the host gives them. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "bridge.h"
#include "check.h"
#include "station.h"

enum { ENDINGS = 60, CASES = 150, LATENCIES = 60, ENDED_WELL = 33, MOST = 4 };

static struct bridge bridge;
static struct station stations[MOST];
static int64_t until;
static int count;
static uint16_t packet_bytes; /* of cards; 0: there are none */
static bool has_frames;       /* beside packets */
static bool is_incast;        /* the others send without end, most of it to station 0, which computes */
static struct flow_control flow;

static void *run_station(void *opaque)
{
	struct station *const s = opaque;

	emulated_run(&s->machine, until);
	pair_leave(&s->pair, ENDED_WELL);
	return NULL;
}

static void *run_bridge(void *nothing)
{
	bridge_run(&bridge);
	return NULL;
}

static void plug(int port, uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	char path[64];
	const int file = pair_file(path);

	stations[port] = (struct station){
		.number = port, .count = count, .packet_bytes = packet_bytes, .has_frames = has_frames
	};
	if (is_incast)
		stations[port].habit = port ? SENDING : COMPUTING;
	assert_true(station_open(&stations[port], seed, path, link));
	assert_true(bridge_plug(&bridge, path, queue));
	close(file);
}

static struct counts sent[MOST][WIRES]; /* by each port */
static struct depths depths[MOST];
static uint64_t in_flight; /* packets, when all machines had ended */

static void run_threads(uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	pthread_t threads[MOST + 1];

	memset(&bridge, 0, sizeof(bridge));
	bridge.flow = flow;
	bridge.mark_bytes = flow.xoff_bytes ? queue->queue_bytes / 4 : 0;
	in_flight = 0;
	for (int i = 0; i < count; i++)
		plug(i, seed, link, queue);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run_station, &stations[i]);
	pthread_create(&threads[count], NULL, run_bridge, NULL);
	for (int i = 0; i <= count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < count; i++) {
		depths[i] = bridge.ports[i].pair.mine->depths;
		in_flight += station_in_flight(&stations[i]);
		free(bridge.ports[i].queue.ring);
		memcpy(sent[i], bridge.ports[i].pair.mine->counts, sizeof(sent[i]));
		pair_forget(&stations[i].pair);
		pair_forget(&bridge.ports[i].pair);
	}
}

/* The same in one thread, one event after the other: no promises, no rings, and addresses are numbers. */
static struct model {
	struct station station;              /* without a pair */
	struct flight in[WIRES], out[WIRES]; /* to the switch, to the machine */
	struct wire wires[WIRES];
	struct counts counts[WIRES];
	bool is_known[WIRES];
} models[MOST];
static uint64_t ties;

static void put(struct emulated *e, int wire, uint64_t value)
{
	flight_add(&((struct model *)e)->in[wire], &e->wires[wire], e->now, value);
}

static int64_t next_at(const struct model *m)
{
	return emulated_next_of(&m->station.machine, m->out);
}

static void distribute(int from, int wire, int64_t now, uint64_t value)
{
	const int to = station_of(&models[from].station, value);
	const bool is_for_all = to == count || !models[to].is_known[wire];

	models[from].is_known[wire] = true;
	for (int i = 0; i < count; i++)
		if (i != from && (i == to || is_for_all))
			flight_add(&models[i].out[wire], &models[i].wires[wire], now, value);
}

/* The first that arrives at the switch: of one ns the lower port's, and the link's before the side's. */
static struct flight *first_at_switch(int *port, int *wire)
{
	struct flight *first = &models[0].in[0];

	for (int i = *port = *wire = 0; i < count * WIRES; i++) {
		struct flight *const f = &models[i / WIRES].in[i % WIRES];

		ties += i / WIRES != *port && flight_next(f) == flight_next(first) && flight_next(f) < INT64_MAX;
		if (flight_next(f) < flight_next(first)) {
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
		const int64_t arrival = flight_next(f), next = next_at(m);

		if (next > until && arrival == INT64_MAX)
			return;
		if (arrival <= next || next > until)
			distribute(port, wire, arrival, f->value[f->first++]);
		else
			emulated_step_of(&m->station.machine, m->out, next);
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

/* The smallest queue and the lowest threshold for which bridge.h promises it, so that each byte of them is used. */
static struct wire_model start_flow_control(uint64_t seed)
{
	const struct wire_model link = { .latency_ns = some_link(seed).latency_ns, .rate_bit_s = 8000000000 };
	const uint64_t told_late = 2 * (uint64_t)link.latency_ns + 2;

	count = 2 + (int)(seed % 3);
	until = link.latency_ns * LATENCIES;
	has_frames = seed % 4 == 0;
	is_incast = seed % 2;
	packet_bytes = link.latency_ns < 100 ? 100 : (uint16_t)link.latency_ns;
	flow = (struct flow_control){ .xoff_bytes = packet_bytes, .xon_bytes = packet_bytes / 2 };
	return (struct wire_model){ .latency_ns = link.latency_ns,
				    .rate_bit_s = link.rate_bit_s,
				    .queue_bytes = 2 * (uint64_t)(count - 1) * (3 * packet_bytes + told_late) };
}

TEST(no_packet_is_lost_with_flow_control_no_link_is_too_fast_and_all_runs_are_equal)
{
	uint64_t pauses = 0, packets = 0, filled = 0, marks = 0;

	for (uint64_t seed = 0; seed < CASES; seed++) {
		const struct wire_model queue = start_flow_control(seed),
					link = { .latency_ns = queue.latency_ns, .rate_bit_s = queue.rate_bit_s };
		uint64_t digests[MOST], packets_sent = 0, received = 0;

		run_threads(seed, &link, &queue);
		for (int i = 0; i < count; i++)
			digests[i] = stations[i].machine.digest;
		run_threads(seed, &link, &queue);
		for (int i = 0; i < count; i++) {
			assert_int_equal(stations[i].machine.digest, digests[i]);
			assert_int_equal(stations[i].too_fast, 0);
			assert_in_range(depths[i].most_bytes, 0, queue.queue_bytes / (has_frames ? 1 : 2));
			packets_sent += stations[i].packets_sent;
			received += stations[i].packets_received;
			pauses += depths[i].pauses;
			filled += depths[i].most_bytes > queue.queue_bytes / 4;
			marks += depths[i].marks;
			if (!has_frames)
				assert_int_equal(depths[i].marks > 0, depths[i].most_bytes > queue.queue_bytes / 4);
		}
		assert_int_equal(packets_sent, received + in_flight);
		packets += packets_sent;
	}
	assert_in_range(packets, CASES * 30, UINT64_MAX);
	assert_in_range(pauses, CASES, UINT64_MAX);
	assert_in_range(filled, CASES / 4, UINT64_MAX);
	assert_in_range(marks, CASES / 4, packets);
}

static pid_t children[MOST + 1]; /* the machines, and the switch */

/* A machine opens its file by itself, so that its lock ends with it. */
static void fork_station(int port, uint64_t seed, const struct wire_model *link, int file)
{
	char path[64];

	children[port] = fork();
	if (children[port])
		return;
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	stations[port] = (struct station){ .number = port, .count = count, .packet_bytes = packet_bytes };
	if (!station_open(&stations[port], seed, path, link))
		_exit(EXIT_FAILURE);
	run_station(&stations[port]);
	_exit(EXIT_SUCCESS);
}

static void fork_all(uint64_t seed, const struct wire_model *link, const struct wire_model *queue)
{
	char path[64];

	memset(&bridge, 0, sizeof(bridge));
	bridge.flow = flow;
	for (int i = 0; i < count; i++) {
		const int file = pair_file(path);

		assert_true(bridge_plug(&bridge, path, queue));
		fork_station(i, seed, link, file);
		close(file);
	}
	children[count] = fork();
	if (children[count])
		return;
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	bridge_run(&bridge);
	_exit(EXIT_SUCCESS);
}

/* Kill one of them, or stop it for a moment, once it is there and the first machine has come so far. Only the one that
 * starts the machines can notice one that has never come. */
static void hit(int victim, int signal, int64_t at)
{
	const struct end *const first = bridge.ports[0].pair.other;

	while (victim < count && !atomic_load(&bridge.ports[victim].pair.other->present))
		continue;
	while (atomic_load(&first->until_ns) < at && atomic_load(&first->gone) == HERE)
		continue;
	kill(children[victim], signal);
	for (const int64_t end = host_ns() + host_ns() % 1000000; host_ns() < end;)
		continue;
	kill(children[victim], SIGCONT);
}

/* As main() does. Whether all have ended well. */
static bool await_all(void)
{
	bool good = true;
	int status;

	assert_int_equal(waitpid(children[count], &status, 0), children[count]);
	if (status)
		bridge_give_up(&bridge);
	good = status == 0;
	for (int i = 0; i < count; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		good = good && status == 0;
		pair_forget(&bridge.ports[i].pair);
	}
	return good;
}

/* One that waited for ever would keep this from returning. Machines that are to be killed have no end of their own. */
TEST(machines_and_a_switch_that_are_killed_or_stopped_leave_nobody_behind)
{
	for (uint64_t seed = 0; seed < ENDINGS; seed++) {
		const struct wire_model queue = start_flow_control(seed),
					link = { .latency_ns = queue.latency_ns, .rate_bit_s = queue.rate_bit_s };
		const int64_t at = (int64_t)(seed * 37 % 60) * until / 60;
		const bool stops = seed % 4 == 0;

		until = stops ? until : INT64_MAX / 4;
		fork_all(seed, &link, &queue);
		hit((int)(seed / 4) % (count + 1), stops ? SIGSTOP : SIGKILL, at);
		assert_int_equal(await_all(), stops);
	}
}

int main(void)
{
	alarm(600); /* in place of a wait for ever; all tests take some seconds */
	return check_run("lockstep", NULL, NULL);
}
