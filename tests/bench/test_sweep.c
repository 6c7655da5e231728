#include "check.h"
#include "null.h"
#include "sweep.h"

#define SECOND_NS 1000000000u
#define MEMORY_BYTES (100u << 20)

static struct result seen;
static struct flow seen_flow;
static uint64_t messages;
static struct cost cost;

static void keep(const struct options *o, const struct flow *f, const struct result *r)
{
	(void)o;
	seen = *r;
	seen_flow = *f;
	messages = r->samples[r->count - 1].messages; /* of a throughput: windows count from the start */
}

static const struct output keeping = { .size = keep };

static struct options options(enum measure measure, uint64_t iterations, uint64_t least_time_s)
{
	return (struct options){ .role = CLIENT,
				 .measure = measure,
				 .windows = 20,
				 .least_time_s = least_time_s,
				 .sizes = { 1, { { 64, iterations, 10 } } } };
}

static struct null_link run(const struct options *o, struct null_link setting)
{
	struct link *l = null_open(&setting);
	struct null_link left;

	sweep_run(o, &null_transport, l, &keeping, &cost);
	left = *null_state(l);
	null_free(l);
	return left;
}

static void a_size_that_is_over_too_soon_is_measured_again_for_the_least_time(void **state)
{
	const struct options o = options(THROUGHPUT, 1000, 1);
	struct null_link left =
		run(&o, (struct null_link){ .message_ns = 500, .clump = 8, .depth = 64, .post_list = 8 });

	(void)state;
	assert_true(seen.confirmed.time_ns >= SECOND_NS);
	assert_int_equal(seen.confirmed.messages, seen_flow.iterations);
	assert_int_equal(messages, seen_flow.iterations);
	assert_int_equal(seen.count, 20);
	assert_int_equal(seen_flow.asked, 1000);
	assert_int_equal(seen_flow.iterations % 1000, 0);
	assert_true(seen_flow.iterations > 1000);
	assert_true(left.orders >= 2);
	assert_int_equal(left.last_order, 0); /* the server is told that it was enough */
}

static void of_round_trips_no_more_are_kept_than_were_asked_for(void **state)
{
	const struct options o = options(LATENCY, 1000, 1);

	(void)state;
	run(&o, (struct null_link){ .message_ns = 2000 });
	assert_true(seen.pings_ns >= SECOND_NS);
	assert_true(seen_flow.iterations > 1000);
	assert_int_equal(seen.count, 1000);
	assert_int_equal(seen_flow.sample_every, seen_flow.iterations / 1000);
}

static void a_size_that_lasts_is_measured_once_and_as_asked(void **state)
{
	const struct options o = options(THROUGHPUT, 40, 1);
	struct null_link left =
		run(&o, (struct null_link){ .message_ns = 30000000, .clump = 1, .depth = 8, .post_list = 1 });

	(void)state;
	assert_int_equal(seen_flow.iterations, 40);
	assert_int_equal(left.completed, 40 + 10);
	assert_int_equal(left.orders, 1);
}

/* The link's delays are spent by looking at the clock. */
static void the_processors_time_is_that_of_the_timed_messages_of_the_last_try(void **state)
{
	const struct options lasting = options(THROUGHPUT, 1000, 1), once = options(LATENCY, 2, 0);

	(void)state;
	run(&lasting, (struct null_link){ .message_ns = 500, .clump = 8, .depth = 64, .post_list = 8 });
	assert_int_equal(cost.size_bytes, 64);
	assert_int_equal(cost.messages, seen_flow.iterations);
	assert_in_range(cost.own.whole_ns, SECOND_NS / 10, seen.confirmed.time_ns);
	run(&once, (struct null_link){ .message_ns = 20000000 });
	assert_int_equal(cost.messages, 2);
	assert_in_range(cost.own.whole_ns, 1, 3 * 20000000); /* ten more are warm-up */
}

static void without_a_least_time_the_server_is_told_nothing(void **state)
{
	const struct options o = options(THROUGHPUT, 40, 0);

	(void)state;
	assert_int_equal(run(&o, (struct null_link){ .clump = 1, .depth = 8, .post_list = 1 }).orders, 0);
	assert_int_equal(seen_flow.iterations, 40);
}

static void the_factor_grows_to_a_tenth_above_the_least_time_and_ends(void **state)
{
	const struct options o = options(THROUGHPUT, 1000, 2);

	(void)state;
	assert_int_equal(sweep_factor(&o, 1, 2 * SECOND_NS), 0);
	assert_int_equal(sweep_factor(&o, 1, SECOND_NS), 3);
	assert_int_equal(sweep_factor(&o, 100, SECOND_NS), 221);
	assert_int_equal(sweep_factor(&o, 100, 2 * SECOND_NS - 1), 111);
	assert_int_equal(sweep_factor(&o, 1, 0), 1001);
	assert_int_equal(sweep_factor(&o, UINT32_MAX - 1, 1), UINT32_MAX);
	assert_int_equal(sweep_factor(&o, UINT32_MAX, 1), 0);
}

static void more_than_two_to_the_31_messages_need_no_room_of_their_own(void **state)
{
	struct options o = options(THROUGHPUT, 3000000000, 0);

	(void)state;
	run(&o, (struct null_link){ .clump = 1 << 20, .depth = 1 << 21, .post_list = 1 << 20 });
	assert_int_equal(seen.count, 20);
	assert_int_equal(messages, 3000000000);
	assert_int_equal(seen.completed.messages, 3000000000);
	assert_int_equal(seen_flow.sample_every, 1);
	assert_int_equal(sweep_room(&o), 20);
	o.verify = true;
	assert_true(sweep_room(&o) * sizeof(struct sample) < MEMORY_BYTES);
	o.measure = LATENCY;
	assert_true(sweep_room(&o) * sizeof(struct sample) < MEMORY_BYTES);
}

static void of_more_round_trips_than_a_million_some_are_kept(void **state)
{
	const struct options o = options(LATENCY, 2500000, 0);

	(void)state;
	run(&o, (struct null_link){ 0 });
	assert_int_equal(seen_flow.sample_every, 3);
	assert_int_equal(seen.count, 833334);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_that_is_over_too_soon_is_measured_again_for_the_least_time),
		cmocka_unit_test(of_round_trips_no_more_are_kept_than_were_asked_for),
		cmocka_unit_test(a_size_that_lasts_is_measured_once_and_as_asked),
		cmocka_unit_test(the_processors_time_is_that_of_the_timed_messages_of_the_last_try),
		cmocka_unit_test(without_a_least_time_the_server_is_told_nothing),
		cmocka_unit_test(the_factor_grows_to_a_tenth_above_the_least_time_and_ends),
		cmocka_unit_test(more_than_two_to_the_31_messages_need_no_room_of_their_own),
		cmocka_unit_test(of_more_round_trips_than_a_million_some_are_kept),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
