/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physics, for any costs: nothing is faster than the wire, the bus or the rate of messages; no round trip takes less
 * than its parts; and more of any cost never makes more throughput.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "computers.h"
#include "drawn.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)

enum { SLOTS = 64, MESSAGES = 48 };

static struct computers all;
static struct program a, b;
static const uint32_t operations[] = { WRITE, SEND, READ };

static struct costs draw_costs(uint64_t *seed)
{
	return (struct costs){ .header_bytes = 26 + drawn_below(seed, 80),
			       .rate_bit_s = 1000000000ull * (1 + drawn_below(seed, 200)),
			       .bus_bit_s = drawn_below(seed, 3) ? 1000000000ull * (1 + drawn_below(seed, 200)) : 0,
			       .doorbell_ps = (int64_t)drawn_below(seed, 500000),
			       .fetch_ps = (int64_t)drawn_below(seed, 900000),
			       .write_ps = (int64_t)drawn_below(seed, 500000),
			       .gap_ps = (int64_t)drawn_below(seed, 600000),
			       .block_ps = (int64_t)drawn_below(seed, 100000),
			       .ack_ps = (int64_t)drawn_below(seed, 300000),
			       .irq_ps = (int64_t)drawn_below(seed, 900000) };
}

/* ns for some messages of a size, posted as one list. */
static int64_t take(const struct costs *costs, uint32_t opcode, uint32_t bytes, uint32_t messages, int64_t latency)
{
	struct card_cqe entry;

	computers_start(&all, costs, latency);
	a = program_new(&all.one[0], 1, RC, 256, SLOTS, ALL);
	b = program_new(&all.one[1], 2, RC, 256, SLOTS, ALL);
	program_connect(&a, &b);
	for (uint32_t i = 0; i < messages; i++) {
		const struct card_piece piece = { a.buffer_at, bytes, a.region };

		if (opcode == SEND)
			program_receive(&b, i, b.buffer_at, bytes);
		program_put(&a,
			    (struct card_wqe){ .opcode = opcode,
					       .flags = SIGNALLED,
					       .remote = b.buffer_at,
					       .rkey = b.region,
					       .pieces = 1 },
			    &piece);
	}
	program_ring(&a);
	computers_run(&all, INT64_MAX);
	for (uint32_t i = 0; i < messages; i++)
		entry = program_expect(&a, SUCCESS);
	computers_end(&all);
	return (int64_t)entry.at_ns;
}

static uint64_t packets(uint32_t bytes)
{
	return bytes ? (bytes + 1023) / 1024 : 1;
}

/* The data's packets on one wire, and what asks for them on the other. */
static int64_t least_ns(const struct costs *c, uint32_t opcode, uint32_t bytes, uint32_t messages)
{
	const uint64_t line = bytes + packets(bytes) * c->header_bytes, all_bytes = messages * line;
	const int64_t wire = costs_time(all_bytes, c->rate_bit_s),
		      bus = costs_time((uint64_t)messages * bytes, c->bus_bit_s);
	const int64_t gaps = (messages - 1) * c->gap_ps;
	int64_t most = wire > bus ? wire : bus;

	(void)opcode;
	most = most > gaps ? most : gaps;
	return most / 1000;
}

static void test_never_above(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 400; i++) {
		const struct costs costs = draw_costs(&seed);
		const uint32_t opcode = operations[drawn_below(&seed, 3)],
			       bytes = (uint32_t)drawn_below(&seed, i % 2 ? 20000 : 200);

		assert_true(take(&costs, opcode, bytes, MESSAGES, 500) >= least_ns(&costs, opcode, bytes, MESSAGES));
	}
}

static int64_t parts_ns(const struct costs *c, uint32_t opcode, uint32_t bytes, int64_t latency)
{
	const int64_t there = costs_time((opcode == READ ? 0 : bytes) + c->header_bytes, c->rate_bit_s);
	const int64_t back = costs_time((opcode == READ ? bytes : 0) + c->header_bytes, c->rate_bit_s);
	const int64_t fetch = bytes ? c->fetch_ps + costs_time(bytes, c->bus_bit_s) : 0;
	const int64_t taken = opcode == READ ? 0 : c->write_ps + c->ack_ps;

	return (c->doorbell_ps + fetch + there + back + taken + c->write_ps) / 1000 + 2 * latency;
}

static void test_no_round_trip_below_its_parts(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 400; i++) {
		const struct costs costs = draw_costs(&seed);
		const uint32_t opcode = operations[drawn_below(&seed, 3)], bytes = (uint32_t)drawn_below(&seed, 1024);
		const int64_t took = take(&costs, opcode, bytes, 1, 500), parts = parts_ns(&costs, opcode, bytes, 500);

		assert_true(took >= parts);
		assert_true(took <= parts + costs_time(64 + bytes, costs.bus_bit_s) / 1000 +
					    costs_time(40, costs.rate_bit_s) / 1000 + 8);
	}
}

static struct costs more(struct costs c, uint64_t which, uint64_t by)
{
	int64_t *const times[] = { &c.doorbell_ps, &c.fetch_ps, &c.write_ps, &c.gap_ps, &c.block_ps, &c.ack_ps };

	if (which < 6)
		*times[which] += (int64_t)by;
	else if (which == 6)
		c.header_bytes += by % 50;
	else if (which == 7)
		c.rate_bit_s -= c.rate_bit_s / (2 + by % 9);
	else if (c.bus_bit_s)
		c.bus_bit_s -= c.bus_bit_s / (2 + by % 9);
	return c;
}

static void test_more_cost_never_more_throughput(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 400; i++) {
		const struct costs costs = draw_costs(&seed),
				   dearer = more(costs, drawn_below(&seed, 9), drawn_below(&seed, 400000));
		const uint32_t opcode = operations[drawn_below(&seed, 3)],
			       bytes = (uint32_t)drawn_below(&seed, i % 2 ? 20000 : 200);

		/* A packet leaves at a whole ns, which may be one later for the cheaper of the two. */
		assert_true(take(&dearer, opcode, bytes, MESSAGES, 500) + 2 + MESSAGES * (int64_t)packets(bytes) >=
			    take(&costs, opcode, bytes, MESSAGES, 500));
	}
}

static void test_wire_is_filled(void **state)
{
	const struct costs costs = { .header_bytes = 30,
				     .rate_bit_s = 32000000000ull,
				     .fetch_ps = 500000,
				     .write_ps = 150000,
				     .gap_ps = 100000,
				     .ack_ps = 100000 };
	const int64_t took = take(&costs, WRITE, 65536, MESSAGES, 500),
		      least = least_ns(&costs, WRITE, 65536, MESSAGES);

	(void)state;
	assert_in_range(took, least, least + least / 100);
}

/* Two queue pairs get the same share, packet by packet, whatever the sizes of their messages. */
static void test_fair(void **state)
{
	const struct costs costs = {
		.header_bytes = 30, .rate_bit_s = 8000000000ull, .fetch_ps = 500000, .write_ps = 150000
	};
	struct program c, d;
	struct card_cqe entry;

	(void)state;
	computers_start(&all, &costs, 500);
	a = program_new(&all.one[0], 1, RC, 256, SLOTS, ALL);
	b = program_new(&all.one[1], 2, RC, 256, SLOTS, ALL);
	c = program_new(&all.one[0], 3, RC, 256, SLOTS, ALL);
	d = program_new(&all.one[1], 4, RC, 256, SLOTS, ALL);
	program_connect(&a, &b);
	program_connect(&c, &d);
	program_send(&a,
		     (struct card_wqe){ .opcode = WRITE, .flags = SIGNALLED, .remote = b.buffer_at, .rkey = b.region },
		     a.buffer_at, 1 << 20);
	for (int i = 0; i < 8; i++)
		program_send(&c,
			     (struct card_wqe){
				     .opcode = WRITE, .flags = SIGNALLED, .remote = d.buffer_at, .rkey = d.region },
			     c.buffer_at, 1024);
	computers_run(&all, 1054 * 18 + 4000); /* the small ones share the wire with eight packets of the large one */
	for (int i = 0; i < 8; i++)
		entry = program_expect(&c, SUCCESS);
	assert_true((int64_t)entry.at_ns > 1054 * 15);
	assert_false(program_poll(&a, &entry));
	computers_end(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_never_above),
					    cmocka_unit_test(test_no_round_trip_below_its_parts),
					    cmocka_unit_test(test_more_cost_never_more_throughput),
					    cmocka_unit_test(test_wire_is_filled), cmocka_unit_test(test_fair) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
