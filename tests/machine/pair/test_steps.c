/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "check.h"
#include "emulated.h"
#include "promise.h"

enum { CASES = 400, ENDED_WELL = 33, LATENCIES = 60 };

/* A machine that runs in another thread than the other one. */
struct runner {
	struct emulated machine;
	struct pair pair;
	pthread_t thread;
	int64_t until;
};

static void *run(void *opaque)
{
	struct runner *const r = opaque;

	emulated_run(&r->machine, r->until);
	pair_leave(&r->pair, ENDED_WELL);
	return NULL;
}

static void run_pair(struct runner runners[ENDS], uint64_t seed, const struct wire_model *link)
{
	char path[64];
	const int file = pair_file(path);

	for (int end = 0; end < ENDS; end++) {
		emulated_start(&runners[end].machine, seed, end, link);
		assert_true(pair_open(&runners[end].pair, end, path));
		emulated_join(&runners[end].machine, &runners[end].pair);
		runners[end].until = link->latency_ns * LATENCIES;
	}
	for (int end = 0; end < ENDS; end++)
		pthread_create(&runners[end].thread, NULL, run, &runners[end]);
	for (int end = 0; end < ENDS; end++)
		pthread_join(runners[end].thread, NULL);
	for (int end = 0; end < ENDS; end++)
		pair_forget(&runners[end].pair);
	close(file);
}

/* The same two machines in one thread, in the order that step.h promises: no promises, no rings. */
static struct emulated both[ENDS];
static struct flight flights[ENDS][WIRES]; /* to an end */

static void put(struct emulated *e, int wire, uint64_t value)
{
	flight_add(&flights[e == both][wire], &e->wires[wire], e->now, value);
}

static int64_t next_of(int end)
{
	return emulated_next_of(&both[end], flights[end]);
}

static void run_reference(uint64_t seed, const struct wire_model *link)
{
	memset(flights, 0, sizeof(flights));
	for (int end = 0; end < ENDS; end++) {
		emulated_start(&both[end], seed, end, link);
		both[end].send = put;
	}
	for (;;) {
		const int end = next_of(1) < next_of(0);
		const int64_t now = next_of(end);

		if (now > link->latency_ns * LATENCIES)
			return;
		emulated_step_of(&both[end], flights[end], now);
	}
}

static struct wire_model some_link(uint64_t seed)
{
	static const int64_t latencies[] = { 1, 4, 1000, 2000, 10000 };
	static const uint64_t rates[] = { 0, 0, 1000000000, 300000007 };

	return (struct wire_model){ .latency_ns = latencies[seed % 5],
				    .rate_bit_s = rates[seed / 5 % 4],
				    .queue_bytes = seed % 3 ? 0 : 400,
				    .loss_ppm = seed % 7 ? 0 : 200000 };
}

TEST(two_threads_see_what_one_computes)
{
	static struct runner runners[ENDS];
	uint64_t ties = 0, frames = 0;

	for (uint64_t seed = 0; seed < CASES; seed++) {
		const struct wire_model link = some_link(seed);

		run_reference(seed, &link);
		run_pair(runners, seed, &link);
		for (int end = 0; end < ENDS; end++) {
			assert_int_equal(runners[end].machine.digest, both[end].digest);
			assert_memory_equal(runners[end].machine.counts, both[end].counts, sizeof(both[end].counts));
			ties += both[end].ties;
			frames += both[end].counts[LINK].frames + both[end].counts[SIDE].frames;
		}
	}
	assert_in_range(frames, CASES * 20, UINT64_MAX);
	assert_in_range(ties, frames / 10, UINT64_MAX); /* else this has not shown their order */
}

enum { LARGE = 1 << 20, LARGE_LATENCY = 4000 };

static struct pair ends[ENDS];

static void open_ends(void)
{
	char path[64];

	pair_file(path);
	for (int end = 0; end < ENDS; end++)
		assert_true(pair_open(&ends[end], end, path));
}

static void send_large(int64_t now)
{
	static const uint64_t none[WIRES];
	struct frame *const frame = promise_room(&ends[0], LINK, LARGE, now, none);

	*frame = (struct frame){ .arrival_ns = now + LARGE_LATENCY, .size = LARGE };
	atomic_store(&ends[0].mine->sent[LINK], ring_after(atomic_load(&ends[0].mine->sent[LINK]), LARGE));
}

/* The other end has taken every frame already, but by the clocks of the guests 65 MiB are in flight. */
CHILD_TEST(more_in_flight_than_the_rings_hold_is_an_error, 1, "more than 64 MiB are in flight at once")
{
	open_ends();
	for (int i = 0; i < 65; i++) {
		send_large(1000 + i);
		atomic_store(&ends[1].mine->taken[LINK], atomic_load(&ends[0].mine->sent[LINK]));
	}
}

/* The other end takes nothing until the first one waits for it, and then what has arrived. */
static void *take_late(void *unused)
{
	uint64_t taken[WIRES] = { 0 };
	const struct frame *frame;

	while (!pair_is_alone(&ends[1])) {
		while (!atomic_load(&ends[1].mine->asleep) && !pair_is_alone(&ends[1]))
			;
		while (taken[LINK] != atomic_load(&ends[0].mine->sent[LINK]) &&
		       (frame = ring_at(&ends[1].in[LINK], taken[LINK]))->arrival_ns <
			       atomic_load(&ends[0].mine->until_ns))
			taken[LINK] = ring_after(taken[LINK], LARGE);
		promise_make(&ends[1], 0, taken);
		pair_wake(&ends[1]);
	}
	return unused;
}

CHILD_TEST(an_end_waits_until_a_late_one_has_taken_what_has_arrived, 0, NULL)
{
	pthread_t thread;

	open_ends();
	pthread_create(&thread, NULL, take_late, NULL);
	for (int i = 0; i < 200; i++)
		send_large(1000 * i);
	pair_finish(&ends[0]);
	pthread_join(thread, unused);
}

RUN_TESTS("steps", NULL, NULL)
