#include "check.h"
#include "verbs_plan.h"

static struct flow plan_over(enum ibv_mtu mtu, struct verbs_options v, uint64_t size_bytes, uint64_t iterations)
{
	const struct options o = { .measure = THROUGHPUT, .windows = 20 };
	struct link l = { .options = &o, .verbs = &v, .path.mtu = mtu };
	struct flow f = { .size_bytes = size_bytes, .iterations = iterations, .slots = 1 };

	l.here.max_message_bytes = l.there.max_message_bytes = 8388608;
	verbs_plan(&l, &f);
	return f;
}

static struct flow plan(struct verbs_options v, uint64_t size_bytes, uint64_t iterations)
{
	return plan_over(IBV_MTU_1024, v, size_bytes, iterations);
}

static void expect_lists(enum ibv_mtu mtu, enum operation operation, uint64_t size_bytes, uint64_t per_window,
			 uint64_t messages)
{
	const struct verbs_options v = {
		.operation = operation, .tx_depth = 512, .post_list = AUTO, .signal_every = AUTO
	};
	const struct flow f = plan_over(mtu, v, size_bytes, 20 * per_window);

	assert_int_equal(f.post_list, messages);
	assert_int_equal(f.signal_every, messages);
}

static void a_list_of_writes_in_the_largest_packets_holds_128_of_them_within_a_window(void **state)
{
	(void)state;
	expect_lists(IBV_MTU_4096, OP_WRITE, 1, 100, 64);
	expect_lists(IBV_MTU_4096, OP_WRITE, 1, 250, 128);
	expect_lists(IBV_MTU_4096, OP_WRITE, 1000, 128, 128);
	expect_lists(IBV_MTU_4096, OP_WRITE, 4096, 128, 128);
	expect_lists(IBV_MTU_4096, OP_WRITE, 4097, 128, 64);
	expect_lists(IBV_MTU_4096, OP_WRITE, 8192, 64, 64);
	expect_lists(IBV_MTU_4096, OP_WRITE, 16384, 51, 32);
	expect_lists(IBV_MTU_4096, OP_WRITE, 262144, 2, 2);
	expect_lists(IBV_MTU_4096, OP_WRITE, 65537, 50, 4);
	expect_lists(IBV_MTU_4096, OP_WRITE, 524288, 50, 1);
	expect_lists(IBV_MTU_4096, OP_WRITE, 1 << 30, 50, 1);
}

static void any_other_list_holds_256_kib_within_half_a_window(void **state)
{
	(void)state;
	expect_lists(IBV_MTU_4096, OP_READ, 16384, 51, 16);
	expect_lists(IBV_MTU_4096, OP_SEND, 1, 100, 32);
	expect_lists(IBV_MTU_1024, OP_WRITE, 16384, 51, 16);
	expect_lists(IBV_MTU_1024, OP_WRITE, 65536, 51, 4);
	expect_lists(IBV_MTU_1024, OP_WRITE, 131072, 3, 1);
}

static void the_list_that_is_chosen_divides_any_signalling_interval(void **state)
{
	struct verbs_options v = { .tx_depth = 512, .post_list = AUTO };

	(void)state;
	for (v.signal_every = 1; v.signal_every <= v.tx_depth; v.signal_every++)
		for (uint64_t size_bytes = 1; size_bytes <= 4194304; size_bytes = size_bytes * 3 / 2 + 1) {
			const struct flow f = plan(v, size_bytes, 20 * v.signal_every);

			assert_int_equal(f.signal_every, v.signal_every);
			assert_int_equal(f.signal_every % f.post_list, 0);
			assert_true(f.post_list <= 64 && (f.post_list == 1 || f.post_list * size_bytes <= 262144));
		}
}

static void an_interval_that_one_list_can_hold_is_one_list(void **state)
{
	struct verbs_options v = { .tx_depth = 512, .post_list = AUTO };

	(void)state;
	for (v.signal_every = 1; v.signal_every <= 64; v.signal_every++)
		assert_int_equal(plan(v, 64, 20 * v.signal_every).post_list, v.signal_every);
}

static uint64_t singles_of(struct options o, uint64_t post_list, uint64_t size_bytes)
{
	const struct verbs_options v = { .tx_depth = 512, .post_list = post_list, .signal_every = AUTO };
	struct link l = { .options = &o, .verbs = &v, .path.mtu = IBV_MTU_4096 };
	struct flow f = { .size_bytes = size_bytes, .iterations = 2560, .slots = 1 };

	l.here.max_message_bytes = l.there.max_message_bytes = 8388608;
	verbs_plan(&l, &f);
	assert_true(f.singles <= f.post_list);
	return f.singles;
}

static void the_first_list_begins_with_single_messages_where_we_choose_it_and_it_is_no_round(void **state)
{
	const struct options windows = { .measure = THROUGHPUT, .windows = 20 };
	const struct options rounds = { .measure = THROUGHPUT, .windows = 20, .until_stable = 1 };
	const struct options verify = { .measure = THROUGHPUT, .windows = 20, .verify = true };

	(void)state;
	assert_int_equal(singles_of(windows, AUTO, 1), 8);
	assert_int_equal(singles_of(windows, AUTO, 262144), 2);
	assert_int_equal(singles_of(windows, AUTO, 1048576), 1);
	assert_int_equal(singles_of(windows, 64, 1), 0);
	assert_int_equal(singles_of(rounds, AUTO, 1), 0);
	assert_int_equal(singles_of(verify, AUTO, 1), 0);
}

static uint64_t pings_per_completion(uint64_t tx_depth, uint64_t iterations, bool verify)
{
	const struct options o = { .measure = LATENCY, .verify = verify };
	const struct verbs_options v = { .operation = OP_SEND, .tx_depth = tx_depth };
	struct link l = { .options = &o, .verbs = &v };
	struct flow f = { .size_bytes = 1, .iterations = iterations, .slots = 1 };

	l.here.max_message_bytes = l.there.max_message_bytes = 8388608;
	verbs_plan(&l, &f);
	return f.signal_every;
}

static void no_completion_stands_for_more_pings_than_a_round_has(void **state)
{
	(void)state;
	assert_int_equal(pings_per_completion(512, 1000, false), 64);
	assert_int_equal(pings_per_completion(512, 40, false), 32);
	assert_int_equal(pings_per_completion(40, 1000, false), 32);
	assert_int_equal(pings_per_completion(512, 1000, true), 1);
}

static void plan_long_list(void *nothing)
{
	(void)nothing;
	plan((struct verbs_options){ .tx_depth = 512, .post_list = 64, .signal_every = 4 }, 64, 20 * 64 - 1);
}

static void a_list_that_spans_windows_is_refused(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(in_child(plan_long_list, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "64 messages per list, 4 per completion leave some of 20 windows"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_writes_in_the_largest_packets_holds_128_of_them_within_a_window),
		cmocka_unit_test(any_other_list_holds_256_kib_within_half_a_window),
		cmocka_unit_test(the_list_that_is_chosen_divides_any_signalling_interval),
		cmocka_unit_test(an_interval_that_one_list_can_hold_is_one_list),
		cmocka_unit_test(the_first_list_begins_with_single_messages_where_we_choose_it_and_it_is_no_round),
		cmocka_unit_test(no_completion_stands_for_more_pings_than_a_round_has),
		cmocka_unit_test(a_list_that_spans_windows_is_refused),
	};

	return cmocka_run_group_tests_name("verbs_plan", tests, NULL, NULL);
}
