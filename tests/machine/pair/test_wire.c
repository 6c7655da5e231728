/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "wire.h"

enum { LINE = 1500 + HEADER_BYTES + FRAME_EXTRA_BYTES };

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

TEST(an_idle_wire_starts_when_the_frame_comes)
{
	struct wire w = wire_of((struct wire_model){ .rate_bit_s = 1000000000, .latency_ns = 10 });
	int64_t arrival;

	wire_send(&w, 1000, 1000, &arrival);
	assert_int_equal(arrival, 1000 + 1024 * 8 + 10);
	wire_send(&w, 1001, 1000, &arrival);
	assert_int_equal(arrival, 1000 + 2 * 1024 * 8 + 10);
	wire_send(&w, 100000, 1000, &arrival);
	assert_int_equal(arrival, 100000 + 1024 * 8 + 10);
}

TEST(a_short_frame_is_as_long_as_the_shortest)
{
	struct wire w = wire_of((struct wire_model){ .rate_bit_s = 1000000000 });
	int64_t arrival;

	wire_send(&w, 0, 20, &arrival);
	assert_int_equal(arrival, (SHORTEST_BYTES + FRAME_EXTRA_BYTES) * 8);
	assert_int_equal(counts.bytes, 20);
}

TEST(what_says_itself_how_long_it_is_waits_as_frames_do_and_is_never_too_long)
{
	struct wire w = wire_of((struct wire_model){ .rate_bit_s = 1000000000, .mtu_bytes = 100, .latency_ns = 10 });
	int64_t arrival;

	assert_int_equal(wire_send(&w, 0, 76, &arrival), CARRIED);
	assert_int_equal(wire_carry(&w, 0, 4000, &arrival), CARRIED);
	assert_int_equal(arrival, (100 + 4000) * 8 + 10);
	assert_int_equal(wire_carry(&w, 0, 31, &arrival), CARRIED);
	assert_int_equal(arrival, (100 + 4000 + 31) * 8 + 10);
	assert_int_equal(counts.bytes, 76 + 4000 + 31);
	assert_int_equal(counts.frames, 3);
}

/* 1 byte a ns: of three frames of 1,000 bytes on the line, the third one finds 2,000 before it. */
TEST(a_frame_that_finds_the_queue_full_is_dropped)
{
	struct wire w = wire_of((struct wire_model){ .rate_bit_s = 8000000000, .queue_bytes = 2999 });
	int64_t arrival;

	assert_int_equal(wire_send(&w, 0, 976, &arrival), CARRIED);
	assert_int_equal(wire_send(&w, 0, 976, &arrival), CARRIED);
	assert_int_equal(wire_send(&w, 0, 976, &arrival), DROPPED);
	assert_int_equal(wire_send(&w, 0, 975, &arrival), CARRIED);
	assert_int_equal(wire_send(&w, 999, 976, &arrival), DROPPED);
	assert_int_equal(wire_send(&w, 1000, 976, &arrival), CARRIED);
	assert_int_equal(counts.dropped, 2);
	assert_int_equal(counts.frames, 4);
}

TEST(a_frame_longer_than_the_mtu_is_dropped)
{
	struct wire w = wire_of((struct wire_model){ .mtu_bytes = 1500 });
	int64_t arrival;

	assert_int_equal(wire_send(&w, 0, 1514, &arrival), CARRIED);
	assert_int_equal(wire_send(&w, 0, 1515, &arrival), DROPPED);
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
