#include "bench.h"
#include "check.h"
#include "null.h"
#include "sweep.h"

#define ITERATIONS 1000

static struct sample samples[ITERATIONS];

static struct options options(enum measure measure)
{
	return (struct options){ .role = CLIENT, .measure = measure, .windows = 20, .seed = 1 };
}

static struct result drive(struct link *l, const struct options *o, uint64_t iterations, uint64_t warmup)
{
	struct flow f = { .size_bytes = 64,
			  .iterations = iterations,
			  .asked = iterations,
			  .warmup = warmup,
			  .slots = o->verify ? 64 : 1 };
	struct result r = { .samples = samples };

	f.sample_every = sweep_sample_every(o, &f);
	null_transport.plan(l, &f);
	bench_size(&null_transport, l, o, &f, &r);
	return r;
}

static void windows_cover_every_message_once(void **state)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .message_ns = 200, .clump = 7, .depth = 32, .post_list = 4 });
	struct result r = drive(l, &o, 999, 0);
	uint64_t messages = 0, time_ns = 0;

	(void)state;
	assert_int_equal(r.count, 20);
	for (size_t i = 0; i < r.count; i++) {
		messages += r.samples[i].messages;
		time_ns += r.samples[i].time_ns;
		assert_in_range(r.samples[i].messages, 999 / 20 - 7, 999 / 20 + 8);
	}
	assert_int_equal(messages, 999);
	assert_int_equal(r.completed.messages, 999);
	assert_true(time_ns <= r.completed.time_ns);
	assert_true(r.completed.time_ns <= r.confirmed.time_ns);
	null_free(l);
}

static void the_window_is_full_and_never_too_full(void **state)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .clump = 4, .depth = 30, .post_list = 4 });

	(void)state;
	drive(l, &o, 400, 0);
	assert_int_equal(null_state(l)->most_under_way, 28); /* the most fours below 30 */
	null_free(l);
}

static void known_delays_are_measured(void **state)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .message_ns = 10000, .clump = 1, .depth = 8, .post_list = 1 });
	struct result r = drive(l, &o, 100, 0);

	(void)state;
	assert_true(r.completed.time_ns >= 100 * 10000);
	null_free(l);
}

static void warm_up_runs_and_is_not_counted(void **state)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .clump = 1, .depth = 8, .post_list = 1 });
	struct result r = drive(l, &o, 100, 50);

	(void)state;
	assert_int_equal(null_state(l)->completed, 150);
	assert_int_equal(r.completed.messages, 100);
	assert_int_equal(null_state(l)->rounds, 2);
	assert_int_equal(null_state(l)->finished, 2);
	null_free(l);
}

static void latency_keeps_a_sample_per_message(void **state)
{
	const struct options o = options(LATENCY);
	struct link *l = null_open(&(struct null_link){ .message_ns = 2000 });
	struct result r = drive(l, &o, 100, 10);

	(void)state;
	assert_int_equal(r.count, 100);
	for (size_t i = 0; i < r.count; i++)
		assert_true(r.samples[i].messages == 1 && r.samples[i].time_ns >= 2000);
	null_free(l);
}

static void drive_verified(void *argument)
{
	const struct options o = { .role = CLIENT, .verify = true, .seed = 1, .windows = 20 };
	struct link *l = argument;

	for (uint64_t i = 0; i < 64; i++)
		null_transport.incoming(l, i)[63] = 0;
	drive(l, &o, 100, 0);
}

static void verify_catches_what_never_arrived(void **state)
{
	struct link *l = null_open(&(struct null_link){ .clump = 1, .depth = 8, .post_list = 1 });
	char said[4096];

	(void)state;
	assert_int_equal(in_child(drive_verified, l, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "verify: 64 bytes, message 0: byte 0 is wrong where it landed"));
	null_free(l);
}

static void rounds_of_verify_are_joined_where_not_each_can_be_a_sample(void **state)
{
	const struct options o = { .role = CLIENT, .verify = true, .seed = 1, .windows = 20 };
	struct link *l = null_open(&(struct null_link){ .message_ns = 200, .clump = 1, .depth = 8, .post_list = 1 });
	struct flow f = { .size_bytes = 64, .iterations = 500, .asked = 500, .slots = 64, .sample_every = 3 };
	struct result r = { .samples = samples };

	(void)state;
	null_transport.plan(l, &f);
	f.to_client = false; /* nobody fills in for the server */
	bench_size(&null_transport, l, &o, &f, &r);
	assert_int_equal(r.count, 3); /* of eight rounds */
	assert_int_equal(r.samples[0].messages, 192);
	assert_int_equal(r.samples[1].messages, 192);
	assert_int_equal(r.samples[2].messages, 116);
	null_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_cover_every_message_once),
		cmocka_unit_test(the_window_is_full_and_never_too_full),
		cmocka_unit_test(known_delays_are_measured),
		cmocka_unit_test(warm_up_runs_and_is_not_counted),
		cmocka_unit_test(latency_keeps_a_sample_per_message),
		cmocka_unit_test(verify_catches_what_never_arrived),
		cmocka_unit_test(rounds_of_verify_are_joined_where_not_each_can_be_a_sample),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
