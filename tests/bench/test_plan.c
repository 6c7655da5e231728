/* Post lists and signalling intervals that are chosen for a size: verbs_plan.c. */
#include "check.h"
#include "verbs_link.h"

#define WINDOWS 20

static struct flow plan(struct options o, struct verbs_options v, enum ibv_mtu mtu, uint64_t size_bytes,
			uint64_t iterations)
{
	struct link l = { .options = &o, .verbs = &v, .path.mtu = mtu, .pair_count = v.pairs ? v.pairs : 1 };
	struct flow f = { .size_bytes = size_bytes, .iterations = iterations, .slots = 1 };

	l.here.max_message_bytes = l.there.max_message_bytes = 8388608;
	verbs_plan(&l, &f);
	return f;
}

static const struct options throughput = { .measure = THROUGHPUT, .windows = WINDOWS };

static const struct {
	uint64_t size_bytes, messages_per_window, list;
	enum operation operation;
	enum ibv_mtu mtu; /* 0: 4096 bytes */
	bool both;
	uint64_t signal_every; /* 0: a list */
	uint64_t pairs;        /* 0: 1 */
} lists[] = {
	/* WRITEs in the largest packets: 128 packets, within a window */
	{ 1, 100, 64 },
	{ 1, 250, 128 },
	{ 1000, 128, 128 },
	{ 4096, 128, 128 },
	{ 4097, 128, 64 },
	{ 8192, 64, 64 },
	{ 16384, 51, 32 },
	{ 262144, 2, 2 },
	{ 65537, 50, 4 },
	{ 524288, 50, 1 },
	{ 1 << 30, 50, 1 },
	/* all others: 256 KiB, within half a window */
	{ 16384, 51, 16, OP_READ },
	{ 1, 100, 32, OP_SEND },
	{ 16384, 51, 16, .mtu = IBV_MTU_1024 },
	{ 65536, 51, 4, .mtu = IBV_MTU_1024 },
	{ 131072, 3, 1, .mtu = IBV_MTU_1024 },
	/* in both directions: 4 KiB */
	{ 1, 100, 64, .both = true },
	{ 512, 100, 8, .both = true, .signal_every = 16 },
	{ 4096, 100, 1, .both = true, .signal_every = 16 },
	{ 65536, 100, 1, .both = true, .signal_every = 16 },
	/* each of several pairs has the whole depth, and its part of a window: 25 messages */
	{ 64, 100, 16, .pairs = 4 },
};

TEST(the_chosen_post_list_depends_on_packets_operation_window_direction_and_pairs)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		const struct options o = { .measure = THROUGHPUT, .windows = WINDOWS, .both = lists[i].both };
		const struct verbs_options v = { .operation = lists[i].operation,
						 .pairs = lists[i].pairs,
						 .tx_depth = 512,
						 .post_list = AUTO,
						 .signal_every = AUTO };
		const struct flow f = plan(o, v, lists[i].mtu ? lists[i].mtu : IBV_MTU_4096, lists[i].size_bytes,
					   WINDOWS * lists[i].messages_per_window);

		assert_int_equal(f.post_list, lists[i].list);
		assert_int_equal(f.signal_every, lists[i].signal_every ? lists[i].signal_every : lists[i].list);
		if (lists[i].pairs)
			assert_int_equal(f.depth, lists[i].pairs * 512);
	}
}

TEST(the_chosen_post_list_divides_every_signalling_interval)
{
	struct verbs_options v = { .tx_depth = 512, .post_list = AUTO };

	for (v.signal_every = 1; v.signal_every <= v.tx_depth; v.signal_every++) {
		if (v.signal_every <= 64)
			assert_int_equal(plan(throughput, v, IBV_MTU_1024, 64, WINDOWS * v.signal_every).post_list,
					 v.signal_every);
		for (uint64_t bytes = 1; bytes <= 4194304; bytes = bytes * 3 / 2 + 1) {
			const struct flow f = plan(throughput, v, IBV_MTU_1024, bytes, WINDOWS * v.signal_every);

			assert_int_equal(f.signal_every, v.signal_every);
			assert_int_equal(f.signal_every % f.post_list, 0);
			assert_true(f.post_list <= 64 && (f.post_list == 1 || f.post_list * bytes <= 262144));
		}
	}
}

TEST(a_chosen_first_list_begins_with_single_messages_unless_it_is_a_round)
{
	static const struct {
		struct options options;
		uint64_t post_list, size_bytes, singles;
	} cases[] = {
		{ { .windows = WINDOWS }, AUTO, 1, 8 },
		{ { .windows = WINDOWS }, AUTO, 262144, 2 },
		{ { .windows = WINDOWS }, AUTO, 1048576, 1 },
		{ { .windows = WINDOWS }, 64, 1, 0 },
		{ { .windows = WINDOWS, .until_stable = 1 }, AUTO, 1, 0 },
		{ { .windows = WINDOWS, .verify = true }, AUTO, 1, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct verbs_options v = { .tx_depth = 512,
						 .post_list = cases[i].post_list,
						 .signal_every = AUTO };
		const struct flow f = plan(cases[i].options, v, IBV_MTU_4096, cases[i].size_bytes, 2560);

		assert_int_equal(f.singles, cases[i].singles);
		assert_true(f.singles <= f.post_list);
	}
}

TEST(a_completion_covers_no_more_pings_than_a_round_has)
{
	static const struct {
		uint64_t tx_depth, iterations;
		bool verify;
		uint64_t signal_every;
	} cases[] = {
		{ 512, 1000, false, 64 }, { 512, 40, false, 32 }, { 40, 1000, false, 32 }, { 512, 1000, true, 1 }
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct options o = { .measure = LATENCY, .verify = cases[i].verify };
		const struct verbs_options v = { .operation = OP_SEND, .tx_depth = cases[i].tx_depth };

		assert_int_equal(plan(o, v, 0, 1, cases[i].iterations).signal_every, cases[i].signal_every);
	}
}

CHILD_TEST(a_post_list_longer_than_a_window_is_refused, 1,
	   "64 messages per list, 4 per completion leave some of 20 windows")
{
	plan(throughput, (struct verbs_options){ .tx_depth = 512, .post_list = 64, .signal_every = 4 }, IBV_MTU_1024,
	     64, WINDOWS * 64 - 1);
}

TEST(no_request_has_more_than_a_gib_although_a_port_allows_it)
{
	struct link l = { .here.max_message_bytes = UINT32_MAX, .there.max_message_bytes = UINT32_MAX };

	assert_int_equal(verbs_chunk_bytes(&l), 1 << 30);
	l.there.max_message_bytes = 4096;
	assert_int_equal(verbs_chunk_bytes(&l), 4096);
}

RUN_TESTS("plan", NULL, NULL)
