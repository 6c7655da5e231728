/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>

#include "check.h"
#include "wire.h"

enum { LINE = 1500 + HEADER_BYTES + FRAME_EXTRA_BYTES, NEVER = -1 };

static struct counts counts;

static struct wire wire_of(struct wire_model model)
{
	counts = (struct counts){ 0 };
	return wire_new(&model, 1, 0, &counts);
}

TEST(no_part_of_a_ns_is_lost_between_frames)
{
	struct wire w = wire_of((struct wire_model){ .rate_bit_s = 99999999977, .latency_ns = 500 });
	const unsigned __int128 bits = (unsigned __int128)1000000 * LINE * 8;
	int64_t arrival;

	for (int i = 0; i < 1000000; i++)
		assert_int_equal(wire_send(&w, 7, LINE - FRAME_EXTRA_BYTES, &arrival), CARRIED);
	assert_int_equal(arrival, 7 + 500 + (int64_t)(bits * 1000000000 / 99999999977) + 1); /* a part of a ns more */
}

/* On a wire: what is sent at a time, and when it arrives. A frame has 24 bytes more there. */
static const struct {
	struct wire_model model;
	bool carries; /* all but the first include their extra bytes, and are never too long */
	struct {
		int64_t now;
		uint64_t size;
		int64_t arrival; /* NEVER: it is dropped */
	} sends[6];
} cases[] = {
	/* an idle wire starts when the frame comes */
	{ { .rate_bit_s = 1000000000, .latency_ns = 10 },
	  .sends = { { 1000, 1000, 1000 + 1024 * 8 + 10 },
		     { 1001, 1000, 1000 + 2 * 1024 * 8 + 10 },
		     { 100000, 1000, 100000 + 1024 * 8 + 10 } } },
	/* a short frame is as long as the shortest */
	{ { .rate_bit_s = 1000000000 }, .sends = { { 0, 20, (SHORTEST_BYTES + FRAME_EXTRA_BYTES) * 8 } } },
	/* a frame longer than the MTU is dropped, unless its size includes all bytes on the link */
	{ { .mtu_bytes = 1500 }, .sends = { { 0, 1514, 0 }, { 0, 1515, NEVER } } },
	{ { .mtu_bytes = 100, .rate_bit_s = 1000000000, .latency_ns = 10 },
	  true,
	  { { 0, 76, 100 * 8 + 10 }, { 0, 4000, (100 + 4000) * 8 + 10 }, { 0, 31, (100 + 4000 + 31) * 8 + 10 } } },
	/* a frame that finds the queue full is dropped: 1 byte a ns, the third one finds 2,000 on the line before it */
	{ { .rate_bit_s = 8000000000, .queue_bytes = 2999 },
	  .sends = { { 0, 976, 1000 },
		     { 0, 976, 2000 },
		     { 0, 976, NEVER },
		     { 0, 975, 2999 },
		     { 999, 976, NEVER },
		     { 1000, 976, 3999 } } },
};

TEST(what_is_sent_arrives_after_what_is_before_it_or_is_dropped)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire w = wire_of(cases[i].model);
		struct counts expected = { 0 };

		for (int j = 0; j < 6 && cases[i].sends[j].size; j++) {
			const uint64_t size = cases[i].sends[j].size;
			const bool arrives = cases[i].sends[j].arrival != NEVER;
			int64_t arrival = NEVER;

			assert_int_equal((cases[i].carries && j > 0 ? wire_carry : wire_send)(&w, cases[i].sends[j].now,
											      size, &arrival),
					 arrives ? CARRIED : DROPPED);
			assert_int_equal(arrival, cases[i].sends[j].arrival);
			expected.frames += arrives;
			expected.bytes += arrives ? size : 0;
			expected.dropped += !arrives;
		}
		assert_memory_equal(&counts, &expected, sizeof(counts));
	}
}

TEST(a_seed_loses_the_same_frames_again_and_others_the_other_way)
{
	const struct wire_model model = { .loss_ppm = 100000, .rate_bit_s = 1000000000 };
	struct counts sent[3] = { 0 };
	struct wire wires[] = { wire_new(&model, 5, 0, &sent[0]), wire_new(&model, 5, 0, &sent[1]),
				wire_new(&model, 5, 1, &sent[2]) };
	int64_t arrival, last = 0;
	int others = 0;

	for (int i = 0; i < 100000; i++) {
		const enum fate fate = wire_send(&wires[0], 0, 100, &arrival);

		assert_in_range(arrival, last + 124 * 8, last + 124 * 8); /* a lost one takes its time too */
		last = arrival;
		assert_int_equal(wire_send(&wires[1], 0, 100, &arrival), fate);
		others += wire_send(&wires[2], 0, 100, &arrival) != fate;
	}
	assert_in_range(sent[0].lost, 9600, 10400); /* four standard deviations */
	assert_in_range(sent[2].lost, 9600, 10400);
	assert_in_range(others, 17000, 19000);
}

RUN_TESTS("wire", NULL, NULL)
