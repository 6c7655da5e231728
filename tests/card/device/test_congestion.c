/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explicit congestion notification: the arithmetic of a rate, and cards whose packets a switch marks. */
#include "check.h"
#include "hosts.h"
#include "rate.h"

enum { SENDERS = HOSTS - 1, MESSAGE_BYTES = 1 << 20, QUEUE_BYTES = 131072, LATENCY_NS = 500, LEAST = 1024, CASES = 8 };

#define LINE_BIT_S 32000000000ull
#define NOTIFY_PS 38000000ll /* what drains the queue, and a round trip */
#define PERIOD_PS (NOTIFY_PS + NOTIFY_PS / 10)

static const struct costs costs = { .header_bytes = 44,
				    .rate_bit_s = LINE_BIT_S,
				    .doorbell_ps = 100000,
				    .fetch_ps = 500000,
				    .write_ps = 150000,
				    .gap_ps = 100000,
				    .ack_ps = 100000,
				    .notify_ps = NOTIFY_PS };

TEST(a_notification_halves_the_rate_at_first_and_less_when_they_are_rare)
{
	struct rate r = { .bit_s = 0 };
	uint64_t before;

	rate_cut(&r, &costs, 0);
	assert_int_equal(r.bit_s, LINE_BIT_S / 2);
	assert_int_equal(r.target_bit_s, LINE_BIT_S);
	rate_cut(&r, &costs, NOTIFY_PS);
	assert_int_equal(r.bit_s, LINE_BIT_S / 4);
	assert_int_equal(r.target_bit_s, LINE_BIT_S / 2);
	rate_take(&r, &costs, NOTIFY_PS + 20 * PERIOD_PS, 0);
	before = r.bit_s;
	rate_cut(&r, &costs, NOTIFY_PS + 20 * PERIOD_PS); /* alpha is (15/16)^20, 0.275 */
	assert_in_range(r.bit_s * 1000 / before, 1000 - 275 / 2 - 2, 1000 - 275 / 2 + 2);
}

TEST(a_rate_recovers_half_of_what_it_lost_in_each_period_and_then_its_target_rises)
{
	struct rate r = { .bit_s = 0 };

	rate_cut(&r, &costs, 0);
	rate_cut(&r, &costs, 0); /* from 1/2 to 1/4 */
	rate_take(&r, &costs, PERIOD_PS - 1, 0);
	assert_int_equal(r.bit_s, LINE_BIT_S / 4);
	for (int64_t period = 1; period <= 5; period++) {
		rate_take(&r, &costs, period * PERIOD_PS, 0);
		assert_int_equal(r.bit_s, LINE_BIT_S / 2 - (LINE_BIT_S / 4 >> period));
	}
	assert_int_equal(r.target_bit_s, LINE_BIT_S / 2);
	rate_take(&r, &costs, 7 * PERIOD_PS, 0);
	assert_int_equal(r.target_bit_s, LINE_BIT_S / 2 + 2 * (LINE_BIT_S / 100));
	rate_take(&r, &costs, 200 * PERIOD_PS, 0);
	assert_int_equal(r.bit_s, 0); /* the link's */
}

TEST(bytes_raise_a_rate_as_periods_do)
{
	struct rate r = { .bit_s = 0 };

	rate_cut(&r, &costs, 0);
	rate_take(&r, &costs, 1, 9999999);
	assert_int_equal(r.bit_s, LINE_BIT_S / 2);
	rate_take(&r, &costs, 2, 1);
	assert_int_equal(r.bit_s, LINE_BIT_S / 4 * 3);
}

TEST(a_rate_never_falls_below_its_least_and_spaces_packets)
{
	struct rate r = { .bit_s = 0 };

	rate_take(&r, &costs, 1000, 4000);
	assert_int_equal(r.next_ps, 0);
	for (int i = 0; i < 100; i++)
		rate_cut(&r, &costs, 1000);
	assert_int_equal(r.bit_s, LINE_BIT_S / LEAST);
	rate_take(&r, &costs, 1000, 4000);
	assert_int_equal(r.next_ps, 1000 + 1000000 * LEAST); /* 4000 bytes take 1 us on the link */
}

static struct program from[SENDERS], to[SENDERS];

/* Hosts 2 and later write messages to host 1, and post the next one when one is complete, which take until a time. */
static void start_incast(const struct costs *c, uint64_t queue_bytes, bool marks)
{
	hosts_start(c, LATENCY_NS);
	hosts.queue_bytes = queue_bytes;
	hosts.marks = marks;
	hosts.buffer_bytes = MESSAGE_BYTES;
	for (int i = 0; i < SENDERS; i++) {
		from[i] = program_new(1 + i, 1, RC, 64, 64, false);
		to[i] = program_new(0, 1 + (uint32_t)i, RC, 64, 16, false);
		from[i].attributes.peer = 1;
		from[i].attributes.mtu_bytes = to[i].attributes.mtu_bytes = 4096;
		to[i].attributes.peer = 2 + (uint32_t)i;
		program_connect(&from[i], &to[i]);
		for (int message = 0; message < 40; message++) {
			struct card_wqe wqe = {
				.opcode = WRITE, .flags = SIGNALLED, .remote = to[i].buffer_at, .rkey = to[i].region
			};

			program_send(&from[i], wqe, from[i].buffer_at, MESSAGE_BYTES);
		}
	}
}

/* Of the second half: the bytes that all have sent, in thousandths of what the link carries, and the largest share in
 * thousandths of the smallest. No packet is dropped then. */
static void run_steady(const struct costs *c, uint64_t queue_bytes, uint64_t *filled, uint64_t *unfairness)
{
	const int64_t half_ns = costs_time(20000000, c->rate_bit_s) / PS_PER_NS;
	uint64_t before[SENDERS], bytes = 0, most = 0, least = UINT64_MAX, dropped;

	start_incast(c, queue_bytes, true);
	hosts_run_until(half_ns);
	dropped = hosts.dropped;
	for (int i = 0; i < SENDERS; i++)
		before[i] = from[i].host->carried_bytes;
	hosts_run_until(2 * half_ns);
	for (int i = 0; i < SENDERS; i++) {
		const uint64_t share = from[i].host->carried_bytes - before[i];

		bytes += share;
		most = share > most ? share : most;
		least = share < least ? share : least;
	}
	assert_int_equal(hosts.dropped, dropped);
	*filled = bytes / 20000;
	*unfairness = most * 1000 / least;
}

TEST(senders_to_one_receiver_share_its_link_and_its_queue_no_longer_drops)
{
	uint64_t filled, unfairness;

	for (seed = 1; seed <= CASES; seed++) {
		const uint64_t first = seed, queue_bytes = 65536 + below(4) * 65536;
		struct costs c = costs;

		c.rate_bit_s = 1000000000 * (8 + below(92));
		c.notify_ps = costs_time(queue_bytes + 8280, c.rate_bit_s) + 4 * LATENCY_NS * PS_PER_NS;
		run_steady(&c, queue_bytes, &filled, &unfairness);
		seed = first;
		assert_in_range(filled, 900, 1020);      /* 961 at least; the queue may shrink */
		assert_in_range(unfairness, 1000, 1500); /* 1,252 at most */
	}
}

static uint64_t drops_of(bool marks)
{
	start_incast(&costs, QUEUE_BYTES, marks);
	hosts_run_until(4000000);
	return hosts.dropped;
}

TEST(a_queue_that_marks_drops_less)
{
	const uint64_t with = drops_of(true), without = drops_of(false);

	assert_in_range(with, 1, without / 2);
}

TEST(a_receiver_notifies_once_in_an_interval_and_a_card_without_ecn_does_not)
{
	struct costs none = costs;

	start_incast(&costs, QUEUE_BYTES, true);
	hosts_run_until(1000000);
	for (int i = 0; i < SENDERS; i++) {
		assert_in_range(from[i].host->slow_downs, 2, 1000000000 / NOTIFY_PS + 1);
		assert_in_range(from[i].host->bit_s, 1, LINE_BIT_S - 1);
	}
	assert_in_range(hosts.marked, 100, UINT64_MAX);
	none.notify_ps = 0;
	start_incast(&none, QUEUE_BYTES, true);
	hosts_run_until(1000000);
	for (int i = 0; i < SENDERS; i++)
		assert_int_equal(from[i].host->slow_downs, 0);
}

RUN_TESTS("congestion", NULL, hosts_end_well)
