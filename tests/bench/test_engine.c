/* The engine over a transport of memory: {bench,buffer,null,pings,stream,verified,windows}.c. */
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
	bench_size(&(struct run){ &null_transport, l, o, &f, &r });
	return r;
}

static void windows_go_from_the_start_to_ever_more_messages(void **state)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .message_ns = 200, .clump = 7, .depth = 32, .post_list = 4 });
	struct result r = drive(l, &o, 999, 0);
	struct sample before = { 0 };

	(void)state;
	assert_int_equal(r.count, 20);
	for (size_t i = 0; i < r.count; i++) {
		assert_true(r.samples[i].messages >= before.messages + 999 / 20 - 7);
		assert_true(r.samples[i].messages <= before.messages + 999 / 20 + 8);
		assert_true(r.samples[i].time_ns > before.time_ns);
		assert_true(r.samples[i].time_ns >= r.samples[i].messages * 200);
		before = r.samples[i];
	}
	assert_int_equal(before.messages, 999);
	assert_int_equal(r.completed.messages, 999);
	assert_int_equal(r.completed.time_ns, before.time_ns);
	assert_true(r.completed.time_ns <= r.confirmed.time_ns);
	null_free(l);
}

static void windows_that_end_with_one_look_are_one(void **state)
{
	struct result r = { .samples = samples };
	struct windows w;

	(void)state;
	windows_begin(&w, &r, 100, 10);
	w.start_ns = 1000;
	windows_look(&w, 9, 1500);
	windows_look(&w, 35, 2000);
	windows_look(&w, 39, 2500);
	windows_look(&w, 100, 3000);
	assert_int_equal(r.count, 2);
	assert_true(samples[0].messages == 35 && samples[0].time_ns == 1000);
	assert_true(samples[1].messages == 100 && samples[1].time_ns == 2000);
}

/* A link whose client knows nothing of its messages: what its server tells lies here until the client hears it. */
static struct sample told[20];
static size_t told_count;

static void arrive(struct link *l, struct windows *w)
{
	(void)l;
	for (uint64_t done = w->mark; done <= w->messages; done = w->mark)
		windows_look(w, done, 5000 + 10 * done);
}

static void tell(struct link *l, const struct sample *windows, size_t count)
{
	(void)l;
	memcpy(told, windows, count * sizeof(*told));
	told_count = count;
}

static size_t hear(struct link *l, struct sample *windows, size_t room)
{
	(void)l;
	(void)room;
	memcpy(windows, told, told_count * sizeof(*told));
	return told_count;
}

static struct transport blind_transport(void)
{
	struct transport t = null_transport;

	t.peek = t.reap = NULL;
	t.arrive = arrive;
	t.tell = tell;
	t.hear = hear;
	return t;
}

static struct result drive_blind(enum role role)
{
	struct options o = options(THROUGHPUT);
	struct link *l = null_open(&(struct null_link){ .answer_ns = 1000000, .depth = 1, .post_list = 1 });
	struct flow f = { .size_bytes = 64, .iterations = 1000, .slots = 1 };
	const struct transport t = blind_transport();
	struct result r = { .samples = samples };

	o.role = role;
	t.plan(l, &f);
	bench_size(&(struct run){ &t, l, &o, &f, &r });
	null_free(l);
	return r;
}

static void a_receiver_says_how_long_before_its_last_look_each_window_ended(void **state)
{
	(void)state;
	drive_blind(SERVER);
	assert_int_equal(told_count, 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(told[i].messages == 50 * (i + 1) && told[i].time_ns == 10 * (1000 - told[i].messages));
}

static void a_client_without_completions_counts_its_receivers_windows_back_from_the_answer(void **state)
{
	struct result r;

	(void)state;
	drive_blind(SERVER);
	r = drive_blind(CLIENT);
	assert_int_equal(r.count, 20);
	for (size_t i = 0; i < r.count; i++)
		assert_int_equal(r.samples[i].time_ns, r.confirmed.time_ns - told[i].time_ns);
	assert_true(r.confirmed.time_ns >= 1000000);
	assert_int_equal(r.completed.time_ns, r.confirmed.time_ns);
}

static void hear_what_cannot_be(void *argument)
{
	(void)argument;
	told[0].time_ns = UINT64_MAX / 2;
	drive_blind(CLIENT);
}

static void a_window_before_the_start_is_refused(void **state)
{
	char said[4096];

	(void)state;
	drive_blind(SERVER);
	assert_int_equal(in_child(hear_what_cannot_be, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "the server says that a window ended"));
}

static uint64_t posts_for(struct null_link setting, uint64_t messages)
{
	const struct options o = options(THROUGHPUT);
	struct link *l = null_open(&setting);
	uint64_t posts;

	assert_int_equal(drive(l, &o, messages, 0).completed.messages, messages);
	posts = null_state(l)->posts;
	null_free(l);
	return posts;
}

static void only_the_first_list_goes_in_pieces_that_double(void **state)
{
	(void)state;
	/* Eight by themselves, then 8, 16, 32 and 64. */
	assert_int_equal(posts_for((struct null_link){ .clump = 64, .depth = 512, .post_list = 128, .singles = 8 },
				   128),
			 12);
	assert_int_equal(posts_for((struct null_link){ .clump = 64, .depth = 512, .post_list = 128, .singles = 8 },
				   512),
			 15);
	/* The last piece is what is left of the list: 8, 16, 32 and 36. */
	assert_int_equal(posts_for((struct null_link){ .clump = 50, .depth = 512, .post_list = 100, .singles = 8 },
				   500),
			 16);
	assert_int_equal(posts_for((struct null_link){ .clump = 2, .depth = 8, .post_list = 2, .singles = 2 }, 64), 33);
	assert_int_equal(posts_for((struct null_link){ .clump = 64, .depth = 512, .post_list = 128 }, 512), 4);
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
	bench_size(&(struct run){ &null_transport, l, &o, &f, &r });
	assert_int_equal(r.count, 3); /* of eight rounds */
	assert_int_equal(r.samples[0].messages, 192);
	assert_int_equal(r.samples[1].messages, 384);
	assert_int_equal(r.samples[2].messages, 500);
	null_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_go_from_the_start_to_ever_more_messages),
		cmocka_unit_test(windows_that_end_with_one_look_are_one),
		cmocka_unit_test(a_receiver_says_how_long_before_its_last_look_each_window_ended),
		cmocka_unit_test(a_client_without_completions_counts_its_receivers_windows_back_from_the_answer),
		cmocka_unit_test(a_window_before_the_start_is_refused),
		cmocka_unit_test(only_the_first_list_goes_in_pieces_that_double),
		cmocka_unit_test(the_window_is_full_and_never_too_full),
		cmocka_unit_test(known_delays_are_measured),
		cmocka_unit_test(warm_up_runs_and_is_not_counted),
		cmocka_unit_test(latency_keeps_a_sample_per_message),
		cmocka_unit_test(verify_catches_what_never_arrived),
		cmocka_unit_test(rounds_of_verify_are_joined_where_not_each_can_be_a_sample),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
