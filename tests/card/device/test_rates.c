/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Physics, for any costs: nothing is faster than the link, the bus or the message rate; no round trip is shorter than
 * its parts; and higher costs never increase the throughput. */
#include <math.h>

#include "check.h"
#include "hosts.h"

enum { RETH = 16, SLOTS = 64, MESSAGES = 48, DRAWS = 400, LATENCY_NS = 1000 };

/* A measurement of messages of random size and operation under random costs. */
struct trial {
	struct costs costs;
	uint32_t opcode, bytes;
};

static struct trial draw(uint64_t bytes_below)
{
	static const uint32_t opcodes[] = { WRITE, SEND, READ };
	const struct costs costs = { .header_bytes = 26 + below(80),
				     .rate_bit_s = 1000000000ull * (1 + below(200)),
				     .bus_bit_s = below(3) ? 1000000000ull * (1 + below(200)) : 0,
				     .doorbell_ps = (int64_t)below(500000),
				     .fetch_ps = (int64_t)below(900000),
				     .write_ps = (int64_t)below(500000),
				     .gap_ps = (int64_t)below(600000),
				     .block_ps = (int64_t)below(100000),
				     .ack_ps = (int64_t)below(300000),
				     .irq_ps = (int64_t)below(900000) };

	return (struct trial){ costs, opcodes[below(3)], (uint32_t)below(bytes_below) };
}

/* The time of some messages that are posted as one list, in ns. */
static int64_t measure(const struct trial *t, uint32_t messages)
{
	struct card_cqe entry;

	pair_start(&t->costs, RC, 256, SLOTS, false);
	for (uint32_t i = 0; i < messages; i++) {
		struct card_wqe wqe = pair_wqe(t->opcode);

		wqe.pieces = 1;
		if (t->opcode == SEND)
			program_receive(&b, i, b.buffer_at, t->bytes);
		program_put(&a, wqe, &(struct card_piece){ a.buffer_at, t->bytes, a.region });
	}
	program_ring(&a);
	hosts_run();
	for (uint32_t i = 0; i < messages; i++)
		entry = program_expect(&a, SUCCESS);
	return (int64_t)entry.at_ns;
}

static uint64_t packets(uint32_t bytes)
{
	return bytes ? (bytes + 1023) / 1024 : 1;
}

/* The longest of: all packets on the link, all bytes over the bus, the gaps between messages. */
static int64_t least_ns(const struct trial *t)
{
	const uint64_t line = MESSAGES * (t->bytes + packets(t->bytes) * t->costs.header_bytes);
	const int64_t link = costs_time(line, t->costs.rate_bit_s),
		      bus = costs_time((uint64_t)MESSAGES * t->bytes, t->costs.bus_bit_s),
		      gaps = (MESSAGES - 1) * t->costs.gap_ps;
	const int64_t most = link > bus ? link : bus;

	return (most > gaps ? most : gaps) / 1000;
}

TEST(nothing_is_faster_than_link_bus_or_message_rate)
{
	seed = 1;
	for (int i = 0; i < DRAWS; i++) {
		const struct trial t = draw(i % 2 ? 20000 : 200);

		assert_true(measure(&t, MESSAGES) >= least_ns(&t));
	}
}

static int64_t parts_ns(const struct trial *t)
{
	const struct costs *const c = &t->costs;
	const int64_t there = costs_time((t->opcode == READ ? 0 : t->bytes) + c->header_bytes, c->rate_bit_s);
	const int64_t back = costs_time((t->opcode == READ ? t->bytes : 0) + c->header_bytes, c->rate_bit_s);
	const int64_t fetch = t->bytes ? c->fetch_ps + costs_time(t->bytes, c->bus_bit_s) : 0;
	const int64_t handling = t->opcode == READ ? 0 : c->write_ps + c->ack_ps;

	return (c->doorbell_ps + fetch + there + back + handling + c->write_ps) / 1000 + 2 * LATENCY_NS;
}

TEST(a_round_trip_takes_as_long_as_its_parts)
{
	seed = 2;
	for (int i = 0; i < DRAWS; i++) {
		const struct trial t = draw(1024);
		const int64_t parts = parts_ns(&t);

		assert_in_range(measure(&t, 1), parts,
				parts + costs_time(64 + t.bytes, t.costs.bus_bit_s) / 1000 +
					costs_time(40, t.costs.rate_bit_s) / 1000 + 8);
	}
}

static struct costs more(struct costs c, uint64_t which, uint64_t by)
{
	int64_t *const times[] = { &c.doorbell_ps, &c.fetch_ps, &c.write_ps, &c.gap_ps, &c.block_ps, &c.ack_ps };

	if (which < COUNT(times))
		*times[which] += (int64_t)by;
	else if (which == 6)
		c.header_bytes += by % 50;
	else if (which == 7)
		c.rate_bit_s -= c.rate_bit_s / (2 + by % 9);
	else if (c.bus_bit_s)
		c.bus_bit_s -= c.bus_bit_s / (2 + by % 9);
	return c;
}

TEST(higher_costs_never_increase_the_throughput)
{
	seed = 3;
	for (int i = 0; i < DRAWS; i++) {
		const struct trial t = draw(i % 2 ? 20000 : 200);
		const struct trial dearer = { more(t.costs, below(9), below(400000)), t.opcode, t.bytes };

		/* A packet leaves at a whole ns, which may be one later for the cheaper of the two. */
		assert_true(measure(&dearer, MESSAGES) + 2 + MESSAGES * (int64_t)packets(t.bytes) >=
			    measure(&t, MESSAGES));
	}
}

TEST(large_messages_fill_the_link)
{
	const struct trial t = { { .header_bytes = 30,
				   .rate_bit_s = 32000000000ull,
				   .fetch_ps = 500000,
				   .write_ps = 150000,
				   .gap_ps = 100000,
				   .ack_ps = 100000 },
				 WRITE,
				 65536 };
	const int64_t least = least_ns(&t);

	assert_in_range(measure(&t, MESSAGES), least, least + least / 100);
}

/* How much longer than its slowest part a message takes: the closed form of lab.analysis.card. */
static double bend_ns(const struct trial *t)
{
	const double line =
		costs_time(t->bytes + RETH + packets(t->bytes) * t->costs.header_bytes, t->costs.rate_bit_s);
	const double way = fmax(line, costs_time(t->bytes, t->costs.bus_bit_s)), gap = t->costs.gap_ps;
	const double knee = t->costs.knee_permille / 1000.0, slowest = fmax(way, gap);

	return slowest * (pow(1 + pow(fmin(way, gap) / slowest, 1 / knee), knee) - 1) / 1000;
}

/* The time of the second half of the messages: the first fill all parts. */
static int64_t steady(const struct trial *t)
{
	return measure(t, MESSAGES) - measure(t, MESSAGES / 2);
}

TEST(a_knee_delays_messages_whose_work_takes_as_long_as_their_way_but_no_single_one)
{
	seed = 4;
	for (int i = 0; i < DRAWS; i++) {
		const struct trial sharp = draw(i % 2 ? 20000 : 200);
		const int64_t slack = 2 + (int64_t)packets(sharp.bytes); /* a packet leaves at a whole ns */
		struct trial bent = sharp;
		double more;

		bent.costs.knee_permille = 1 + below(1000);
		more = (double)(steady(&bent) - steady(&sharp)) / (MESSAGES / 2);
		assert_true(measure(&bent, 1) == measure(&sharp, 1));
		assert_true(more > -slack);
		if (bent.opcode == WRITE && bent.bytes)
			assert_true(fabs(more - bend_ns(&bent)) < slack);
	}
}

TEST(two_queue_pairs_get_the_same_share_packet_by_packet)
{
	const struct costs costs = {
		.header_bytes = 30, .rate_bit_s = 8000000000ull, .fetch_ps = 500000, .write_ps = 150000
	};
	struct program c, d;
	struct card_cqe entry;
	struct card_wqe wqe;

	pair_start(&costs, RC, 256, SLOTS, false);
	c = program_new(0, 3, RC, 256, SLOTS, false);
	d = program_new(1, 4, RC, 256, SLOTS, false);
	program_connect(&c, &d);
	program_send(&a, pair_wqe(WRITE), a.buffer_at, 1 << 20);
	wqe = pair_wqe(WRITE);
	wqe.remote = d.buffer_at;
	wqe.rkey = d.region;
	for (int i = 0; i < 8; i++)
		program_send(&c, wqe, c.buffer_at, 1024);
	hosts_run_until(1054 * 18 + 4000); /* the small ones share the link with eight packets of the large one */
	for (int i = 0; i < 8; i++)
		entry = program_expect(&c, SUCCESS);
	assert_true((int64_t)entry.at_ns > 1054 * 15);
	assert_false(program_poll(&a, &entry));
}

RUN_TESTS("rates", NULL, hosts_end_well)
