#include <time.h>

#include "check.h"
#include "null.h"
#include "rounds.h"

#define CAP 8
#define LOOK_NS 10
#define ANY_SPREAD 1000000 /* per cent */

static struct sample samples[CAP], completions[CAP], trips[ROUNDS_TRIPS];

/* The engine's clock, which goes on by being looked at: every delay is exact, however busy the computer is. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static uint64_t now_ns;

	(void)clock;
	now_ns += LOOK_NS;
	*time = (struct timespec){ (time_t)(now_ns / 1000000000), (long)(now_ns % 1000000000) };
	return 0;
}

static struct result drive(struct link *l, uint64_t percent, uint64_t warmup)
{
	const struct options o = { .role = CLIENT, .until_stable = percent, .stable_window = 3, .rounds_cap = CAP };
	struct flow f = { .size_bytes = 64, .iterations = 100, .warmup = warmup, .slots = 1 };
	struct result r = { .samples = samples, .completions = completions, .trips = trips };

	null_transport.plan(l, &f);
	rounds_size(&(struct run){ &null_transport, l, &o, &f, &r });
	return r;
}

static struct link *link_of(uint64_t message_ns, uint64_t drift_ns)
{
	return null_open(&(struct null_link){
		.message_ns = message_ns, .drift_ns = drift_ns, .clump = 10, .depth = 20, .post_list = 1 });
}

static void equal_rounds_stop_when_the_window_is_full(void **state)
{
	struct link *l = link_of(2000, 0);
	struct result r = drive(l, ANY_SPREAD, 0);

	(void)state;
	assert_true(r.reached);
	assert_int_equal(r.count, 3);
	assert_int_equal(r.settled.messages, 300);
	assert_int_equal(r.settled.time_ns, samples[0].time_ns + samples[1].time_ns + samples[2].time_ns);
	assert_true(samples[0].time_ns >= 100 * 2000);
	null_free(l);
}

static void a_sender_a_thousand_times_faster_than_its_receiver_is_measured_by_the_receiver(void **state)
{
	struct link *l =
		null_open(&(struct null_link){ .answer_ns = 50000000, .clump = 100, .depth = 100, .post_list = 10 });
	struct result r = drive(l, ANY_SPREAD, 0);
	uint64_t shortest = UINT64_MAX;

	(void)state;
	assert_true(r.reached);
	for (size_t i = 0; i < r.count; i++)
		assert_true(samples[i].time_ns >= 50000000);
	for (size_t i = 0; i < r.trip_count; i++)
		shortest = trips[i].time_ns < shortest ? trips[i].time_ns : shortest;
	assert_true(shortest < 50000000 / 1000);
	null_free(l);
}

static void rounds_that_slow_down_are_given_up_at_the_cap(void **state)
{
	struct link *l = link_of(100, 2000);
	struct result r = drive(l, 1, 0);

	(void)state;
	assert_false(r.reached);
	assert_int_equal(r.count, CAP);
	assert_int_equal(r.settled.messages, 300);
	assert_int_equal(r.settled.time_ns, samples[5].time_ns + samples[6].time_ns + samples[7].time_ns);
	null_free(l);
}

static void the_server_is_told_once_that_no_round_follows(void **state)
{
	struct link *l = link_of(100, 2000);

	(void)state;
	drive(l, 1, 0);
	assert_int_equal(null_state(l)->rounds, CAP);
	assert_int_equal(null_state(l)->stops, 1);
	null_free(l);
}

static void round_trips_are_timed_first_and_carry_no_bytes(void **state)
{
	struct link *l = link_of(100, 0);
	struct result r = drive(l, ANY_SPREAD, 0);

	(void)state;
	assert_int_equal(r.trip_count, ROUNDS_TRIPS);
	for (size_t i = 0; i < r.trip_count; i++)
		assert_int_equal(trips[i].messages, 0);
	null_free(l);
}

static void the_warm_up_is_a_round_that_nobody_sees(void **state)
{
	struct link *l = link_of(2000, 0);
	struct result r = drive(l, ANY_SPREAD, 50);

	(void)state;
	assert_int_equal(null_state(l)->rounds, r.count + 1);
	assert_int_equal(null_state(l)->completed, 50 + 100 * r.count);
	null_free(l);
}

/* What passes until the last message is there, in a round of 100 that take 2 us each. */
#define THERE_NS 30000
#define BACK_NS 20000
#define ARRIVED_NS (THERE_NS + 100 * 2000)

static void assert_about(uint64_t found_ns, uint64_t wanted_ns)
{
	assert_true(found_ns >= wanted_ns && found_ns <= wanted_ns + wanted_ns / 100);
}

static struct result drive_ways(struct link *l)
{
	struct result r = drive(l, ANY_SPREAD, 0);

	for (size_t i = 0; i < r.trip_count; i++)
		assert_about(trips[i].time_ns, THERE_NS + BACK_NS);
	null_free(l);
	return r;
}

static struct link *link_with_ways(bool one_sided)
{
	return null_open(&(struct null_link){ .message_ns = 2000,
					      .clump = 10,
					      .depth = 20,
					      .post_list = 1,
					      .there_ns = THERE_NS,
					      .back_ns = BACK_NS,
					      .one_sided = one_sided });
}

static void each_round_says_when_its_last_completion_came(void **state)
{
	struct result r = drive_ways(link_with_ways(true));

	(void)state;
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(completions[i].messages, 100);
		assert_about(completions[i].time_ns, ARRIVED_NS + BACK_NS);
		assert_about(samples[i].time_ns, ARRIVED_NS + BACK_NS + THERE_NS + BACK_NS);
	}
}

static void a_server_that_sees_the_data_answers_without_being_told(void **state)
{
	struct result r = drive_ways(link_with_ways(false));

	(void)state;
	for (size_t i = 0; i < r.count; i++)
		assert_about(samples[i].time_ns, ARRIVED_NS + BACK_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_rounds_stop_when_the_window_is_full),
		cmocka_unit_test(a_sender_a_thousand_times_faster_than_its_receiver_is_measured_by_the_receiver),
		cmocka_unit_test(rounds_that_slow_down_are_given_up_at_the_cap),
		cmocka_unit_test(the_server_is_told_once_that_no_round_follows),
		cmocka_unit_test(round_trips_are_timed_first_and_carry_no_bytes),
		cmocka_unit_test(the_warm_up_is_a_round_that_nobody_sees),
		cmocka_unit_test(each_round_says_when_its_last_completion_came),
		cmocka_unit_test(a_server_that_sees_the_data_answers_without_being_told),
	};

	return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
