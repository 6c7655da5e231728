/* The engine over a transport of memory: {bench,buffer,null,pings,rounds,span,stream,sweep,verified,windows}.c. */
#include <signal.h>
#include <time.h>

#include "check.h"
#include "null.h"
#include "rounds.h"
#include "run.h"
#include "span.h"
#include "sweep.h"

#define SAMPLES 1000
#define SECOND_NS 1000000000u
#define MEMORY_BYTES (100u << 20)

static struct sample samples[SAMPLES], completions[SAMPLES], trips[ROUNDS_TRIPS];
static uint64_t time_ns, reading_ns; /* the clock, and how far each reading advances it */
static struct transport transport;   /* of the test, which may replace its functions */
static struct null_link left;        /* the last link and its counts */

/* A simulated clock: every delay is exact, however busy the host is. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	time_ns += reading_ns;
	*time = (struct timespec){ (time_t)(time_ns / SECOND_NS), (long)(time_ns % SECOND_NS) };
	return 0;
}

/* It needs no timer: see reap_and_tick(). */
int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	return 0;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	return 0;
}

int timer_delete(timer_t timer)
{
	return 0;
}

static int set_up(void **state)
{
	reading_ns = 10;
	transport = null_transport;
	return 0;
}

static struct options options(enum measure measure)
{
	return (struct options){ .role = CLIENT, .measure = measure, .windows = 20, .seed = 1 };
}

/* Measures one size once. */
static struct result measure(const struct options *o, struct null_link link, struct flow f)
{
	struct result r = { .samples = samples, .completions = completions, .trips = trips };
	struct link *l = null_open(&link);

	f.size_bytes = 64;
	f.asked = f.iterations;
	f.slots = o->verify ? 64 : 1;
	f.sample_every = f.sample_every ? f.sample_every : sweep_sample_every(o, &f);
	transport.plan(l, &f);
	(o->until_stable ? rounds_size : bench_size)(&(struct run){ &transport, l, o, &f, &r });
	left = *null_state(l);
	null_free(l);
	return r;
}

static struct result measure_throughput(struct null_link link, uint64_t iterations, uint64_t warmup)
{
	const struct options o = options(THROUGHPUT);

	return measure(&o, link, (struct flow){ .iterations = iterations, .warmup = warmup });
}

static struct result measure_for(enum measure kind, uint64_t seconds, struct null_link link)
{
	struct options o = options(kind);

	o.duration_s = seconds;
	return measure(&o, link, (struct flow){ .iterations = UNTIL_STOPPED, .sample_every = 1 });
}

/* Windows, seen by the client. */

TEST(windows_count_messages_from_the_start)
{
	const struct null_link link = { .message_ns = 200, .clump = 7, .depth = 32, .post_list = 4 };
	const struct result r = measure_throughput(link, 999, 0);
	struct sample before = { 0 };

	assert_int_equal(r.count, 20);
	for (size_t i = 0; i < r.count; i++) {
		assert_in_range(r.samples[i].messages, before.messages + 999 / 20 - 7, before.messages + 999 / 20 + 8);
		assert_true(r.samples[i].time_ns > before.time_ns);
		assert_true(r.samples[i].time_ns >= r.samples[i].messages * 200);
		before = r.samples[i];
	}
	assert_int_equal(before.messages, 999);
	assert_int_equal(r.completed.messages, 999);
	assert_int_equal(r.completed.time_ns, before.time_ns);
	assert_true(r.completed.time_ns <= r.confirmed.time_ns);
}

TEST(windows_that_end_at_one_reading_of_the_clock_are_one_window)
{
	static const uint64_t looks[][2] = { { 9, 1500 }, { 35, 2000 }, { 39, 2500 }, { 100, 3000 } };
	struct result r = { .samples = samples };
	struct windows w;

	windows_begin(&w, &r, 100, 10);
	w.start_ns = 1000;
	for (size_t i = 0; i < COUNT(looks); i++)
		windows_look(&w, looks[i][0], looks[i][1]);
	assert_int_equal(r.count, 2);
	assert_true(samples[0].messages == 35 && samples[0].time_ns == 1000);
	assert_true(samples[1].messages == 100 && samples[1].time_ns == 2000);
}

TEST(windows_by_time_divide_the_middle_half_and_one_without_a_message_is_joined_to_the_next)
{
	static const struct {
		uint64_t done, time_ms;
	} looks[] = { { 5, 200 },  { 10, 260 }, { 20, 300 }, { 30, 390 }, { 30, 520 },
		      { 40, 530 }, { 60, 760 }, { 70, 900 }, { 80, 1001 } };
	struct result r = { .samples = samples };
	struct windows w;

	windows_begin_timed(&w, &r, UNTIL_STOPPED, 1, 4); /* they end at 375, 500, 625 and 750 ms */
	for (size_t i = 0; i < COUNT(looks); i++) {
		assert_false(w.over);
		w.mark = 0;
		windows_look(&w, looks[i].done, looks[i].time_ms * 1000000);
	}
	assert_true(w.over);
	assert_int_equal(r.count, 3);
	assert_true(samples[0].messages == 20 && samples[0].time_ns == 130000000);
	assert_true(samples[1].messages == 30 && samples[1].time_ns == 270000000);
	assert_true(samples[2].messages == 50 && samples[2].time_ns == 500000000);
}

/* Each completion is a tick. */
static uint64_t reap_and_tick(struct link *l)
{
	raise(SIGUSR1);
	return null_transport.reap(l);
}

TEST(a_size_lasts_for_its_duration_and_its_middle_half_is_measured)
{
	const struct null_link link = { .message_ns = 50000, .clump = 8, .depth = 64, .post_list = 8 };
	struct result r;

	transport.reap = reap_and_tick;
	r = measure_for(THROUGHPUT, 2, link);
	assert_int_equal(r.count, 20);
	assert_in_range(r.completed.time_ns, SECOND_NS, SECOND_NS + SECOND_NS / 100);
	assert_in_range(r.completed.time_ns, r.completed.messages * 50000, r.completed.messages * 50010);
	assert_in_range(r.confirmed.time_ns, 2ull * SECOND_NS, 2ull * SECOND_NS + SECOND_NS / 100);
	assert_int_equal(r.confirmed.messages, left.completed); /* all messages, of the last post list too */
}

TEST(round_trips_of_the_middle_half_of_a_duration_are_samples)
{
	const struct result r = measure_for(LATENCY, 1, (struct null_link){ .message_ns = 1000000 });

	assert_in_range(r.count, 475, 525);
	for (size_t i = 0; i < r.count; i++)
		assert_in_range(samples[i].time_ns, 1000000, 1000100);
	assert_int_equal(r.every, 1);
	assert_int_equal(r.sent.messages, left.completed);
	assert_in_range(r.sent.messages, 999, 1025);
	assert_int_equal(left.last_order, 0);
}

TEST(a_round_trip_longer_than_the_duration_is_a_sample)
{
	reading_ns = 1000;
	assert_int_equal(measure_for(LATENCY, 1, (struct null_link){ .message_ns = 1200000000 }).count, 1);
	assert_int_equal(left.completed, 2);
}

TEST(long_durations_keep_one_in_so_many_evenly)
{
	struct sample *many = calloc(SAMPLES_MAX + 1, sizeof(*many));
	struct span span = { .messages = 1000, .is_middle = true, .every = 1 };

	assert_non_null(many);
	for (uint64_t first = 0; first < 3 * SAMPLES_MAX; first += span.messages) {
		for (uint64_t i = 0; i < span.messages; i++)
			many[span.count + i].time_ns = first + i;
		span_keep(&span, many);
		assert_in_range(span.count, 1, SAMPLES_MAX - span.messages);
	}
	assert_int_equal(span.every, 4);
	assert_int_equal(span.count, 3 * SAMPLES_MAX / 4);
	for (uint64_t i = 0; i < span.count; i++)
		assert_int_equal(many[i].time_ns, 4 * i);
	assert_int_equal(span.all, 3 * SAMPLES_MAX);
	free(many);
}

TEST(only_the_first_post_list_is_posted_in_pieces_that_double)
{
	static const struct {
		struct null_link link;
		uint64_t messages, posts;
	} cases[] = {
		/* 8 single messages, then 8, 16, 32 and 64 */
		{ { .clump = 64, .depth = 512, .post_list = 128, .singles = 8 }, 128, 12 },
		{ { .clump = 64, .depth = 512, .post_list = 128, .singles = 8 }, 512, 15 },
		/* the last piece is the rest of the list: 8, 16, 32 and 36 */
		{ { .clump = 50, .depth = 512, .post_list = 100, .singles = 8 }, 500, 16 },
		{ { .clump = 2, .depth = 8, .post_list = 2, .singles = 2 }, 64, 33 },
		{ { .clump = 64, .depth = 512, .post_list = 128 }, 512, 4 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct result r = measure_throughput(cases[i].link, cases[i].messages, 0);

		assert_int_equal(r.completed.messages, cases[i].messages);
		assert_int_equal(left.posts, cases[i].posts);
	}
}

TEST(whole_post_lists_fill_the_send_window_and_the_warm_up_is_not_counted)
{
	const struct null_link link = { .clump = 4, .depth = 30, .post_list = 4 };

	assert_int_equal(measure_throughput(link, 400, 50).completed.messages, 400);
	assert_int_equal(left.most_under_way, 28);
	assert_int_equal(left.completed, 450);
	assert_int_equal(left.rounds, 2);
	assert_int_equal(left.finished, 2);
}

/* Windows, seen by a server for a client without completions. */

static struct sample server_windows[20];
static size_t server_window_count;

static void arrive(struct link *l, struct windows *w)
{
	for (uint64_t done = w->mark; done <= w->messages; done = w->mark)
		windows_look(w, done, 5000 + 10 * done);
}

static void tell(struct link *l, const struct sample *windows, size_t count)
{
	memcpy(server_windows, windows, count * sizeof(*windows));
	server_window_count = count;
}

static size_t hear(struct link *l, struct sample *windows, size_t room)
{
	memcpy(windows, server_windows, server_window_count * sizeof(*windows));
	return server_window_count;
}

static struct result measure_without_completions(enum role role)
{
	struct options o = options(THROUGHPUT);
	const struct null_link link = { .answer_ns = 1000000, .depth = 1, .post_list = 1 };

	o.role = role;
	transport.peek = transport.reap = NULL;
	transport.arrive = arrive;
	transport.tell = tell;
	transport.hear = hear;
	return measure(&o, link, (struct flow){ .iterations = 1000 });
}

TEST(a_server_reports_how_long_before_the_end_each_window_ended)
{
	measure_without_completions(SERVER);
	assert_int_equal(server_window_count, 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(server_windows[i].messages == 50 * (i + 1) &&
			    server_windows[i].time_ns == 10 * (1000 - server_windows[i].messages));
}

TEST(a_client_without_completions_counts_the_windows_back_from_the_confirmation)
{
	struct result r;

	measure_without_completions(SERVER);
	r = measure_without_completions(CLIENT);
	assert_int_equal(r.count, 20);
	for (size_t i = 0; i < r.count; i++)
		assert_int_equal(r.samples[i].time_ns, r.confirmed.time_ns - server_windows[i].time_ns);
	assert_true(r.confirmed.time_ns >= 1000000);
	assert_int_equal(r.completed.time_ns, r.confirmed.time_ns);
}

CHILD_TEST(a_window_before_the_start_is_refused, 1, "the server reports a window")
{
	measure_without_completions(SERVER);
	server_windows[0].time_ns = UINT64_MAX / 2;
	measure_without_completions(CLIENT);
}

/* --verify */

static const struct null_link single = { .message_ns = 200, .clump = 1, .depth = 8, .post_list = 1 };

static void plan_without_server(struct link *l, struct flow *f)
{
	null_transport.plan(l, f);
	f->to_client = false; /* nobody fills in the server's bytes */
}

static struct result verify(uint64_t iterations, uint64_t sample_every)
{
	struct options o = options(THROUGHPUT);

	o.verify = true;
	return measure(&o, single, (struct flow){ .iterations = iterations, .sample_every = sample_every });
}

CHILD_TEST(verify_reports_a_message_that_never_arrived, 1,
	   "verify: 64 bytes, message 0: byte 0 is wrong where it landed")
{
	verify(100, 1);
}

TEST(rounds_of_verify_are_joined_so_that_there_are_not_too_many_samples)
{
	transport.plan = plan_without_server;
	assert_int_equal(verify(500, 3).count, 3); /* of eight rounds */
	assert_int_equal(samples[0].messages, 192);
	assert_int_equal(samples[1].messages, 384);
	assert_int_equal(samples[2].messages, 500);
}

/* --until-stable */

#define CAP 8
#define ANY_SPREAD 1000000 /* per cent */

static struct result measure_rounds(struct null_link link, uint64_t percent, uint64_t warmup)
{
	const struct options o = { .role = CLIENT, .until_stable = percent, .stable_window = 3, .rounds_cap = CAP };

	return measure(&o, link, (struct flow){ .iterations = 100, .warmup = warmup });
}

static struct null_link round_link(uint64_t message_ns, uint64_t drift_ns)
{
	return (struct null_link){
		.message_ns = message_ns, .drift_ns = drift_ns, .clump = 10, .depth = 20, .post_list = 1
	};
}

static void expect_last_rounds(const struct result *r)
{
	const struct sample *last = r->samples + r->count - 3;

	assert_int_equal(r->settled.messages, 300);
	assert_int_equal(r->settled.time_ns, last[0].time_ns + last[1].time_ns + last[2].time_ns);
}

TEST(equal_rounds_end_after_as_many_as_are_compared_and_a_warm_up_that_is_not_reported)
{
	const struct result r = measure_rounds(round_link(2000, 0), ANY_SPREAD, 50);

	assert_true(r.reached);
	assert_int_equal(r.count, 3);
	assert_int_equal(left.rounds, 1 + 3);
	assert_int_equal(left.completed, 50 + 3 * 100);
	assert_true(samples[0].time_ns >= 100 * 2000);
	expect_last_rounds(&r);
	assert_int_equal(r.trip_count, ROUNDS_TRIPS);
	for (size_t i = 0; i < r.trip_count; i++)
		assert_int_equal(trips[i].messages, 0); /* they carry no bytes */
}

TEST(rounds_that_get_slower_end_at_the_cap_and_the_server_is_told_once)
{
	const struct result r = measure_rounds(round_link(100, 2000), 1, 0);

	assert_false(r.reached);
	assert_int_equal(r.count, CAP);
	expect_last_rounds(&r);
	assert_int_equal(left.rounds, CAP);
	assert_int_equal(left.stops, 1);
}

/* When the last of 100 messages of 2 us is there. */
#define THERE_NS 30000
#define BACK_NS 20000
#define ARRIVED_NS (THERE_NS + 100 * 2000)

static void assert_about(uint64_t measured_ns, uint64_t expected_ns)
{
	assert_in_range(measured_ns, expected_ns, expected_ns + expected_ns / 100);
}

TEST(a_round_includes_the_confirmation_of_the_server)
{
	static const struct {
		bool one_sided; /* the server must be notified of the last message */
		uint64_t answer_ns, confirmation_ns;
	} cases[] = { { false, 0, 0 }, { true, 0, THERE_NS + BACK_NS }, { false, 50000000, 50000000 } };

	for (size_t c = 0; c < COUNT(cases); c++) {
		struct null_link link = round_link(2000, 0);
		struct result r;

		link.there_ns = THERE_NS;
		link.back_ns = BACK_NS;
		link.one_sided = cases[c].one_sided;
		link.answer_ns = cases[c].answer_ns;
		r = measure_rounds(link, ANY_SPREAD, 0);
		for (size_t i = 0; i < r.trip_count; i++)
			assert_about(trips[i].time_ns, THERE_NS + BACK_NS);
		for (size_t i = 0; i < r.count; i++) {
			assert_int_equal(completions[i].messages, 100);
			assert_about(completions[i].time_ns, ARRIVED_NS + BACK_NS);
			assert_about(samples[i].time_ns, ARRIVED_NS + BACK_NS + cases[c].confirmation_ns);
		}
	}
}

/* A whole sweep, with --least-time. */

static struct result swept;
static struct flow swept_flow;
static uint64_t swept_messages;
static struct sample latencies[100];
static struct cost cost;

static void keep(const struct options *o, const struct flow *f, const struct result *r)
{
	swept = *r;
	swept_flow = *f;
	swept_messages = r->samples[r->count - 1].messages; /* of a throughput: windows count from the start */
	if (r->count >= COUNT(latencies))
		memcpy(latencies, r->samples, sizeof(latencies));
}

static struct options sweep_options(enum measure measure, uint64_t iterations, uint64_t least_time_s)
{
	struct options o = options(measure);

	o.least_time_s = least_time_s;
	o.sizes = (struct size_list){ 1, { { 64, iterations, 10 } } };
	return o;
}

static void sweep(const struct options *o, struct null_link link)
{
	static const struct output output = { .size = keep };
	struct link *l = null_open(&link);

	reading_ns = 100;
	sweep_run(o, &null_transport, l, &output, &cost);
	left = *null_state(l);
	null_free(l);
}

TEST(a_short_size_is_measured_again_until_it_lasts_for_the_least_time)
{
	const struct options o = sweep_options(THROUGHPUT, 1000, 1);

	sweep(&o, (struct null_link){ .message_ns = 500, .clump = 8, .depth = 64, .post_list = 8 });
	assert_true(swept.confirmed.time_ns >= SECOND_NS);
	assert_int_equal(swept.confirmed.messages, swept_flow.iterations);
	assert_int_equal(swept_messages, swept_flow.iterations);
	assert_int_equal(swept.count, 20);
	assert_int_equal(swept_flow.asked, 1000);
	assert_int_equal(swept_flow.iterations % 1000, 0);
	assert_true(swept_flow.iterations > 1000);
	assert_true(left.orders >= 2);
	assert_int_equal(left.last_order, 0); /* the server is notified that the size is complete */
	assert_int_equal(cost.size_bytes, 64);
	assert_int_equal(cost.messages, swept_flow.iterations);
	assert_in_range(cost.own.whole_ns, SECOND_NS / 10,
			swept.confirmed.time_ns + 10 * reading_ns); /* of the last try alone */
}

TEST(a_long_size_is_measured_once_and_as_asked)
{
	struct options o = sweep_options(THROUGHPUT, 40, 1);

	sweep(&o, (struct null_link){ .message_ns = 30000000, .clump = 1, .depth = 8, .post_list = 1 });
	assert_int_equal(swept_flow.iterations, 40);
	assert_int_equal(left.completed, 40 + 10);
	assert_int_equal(left.orders, 1);
	o.least_time_s = 0;
	sweep(&o, single);
	assert_int_equal(left.orders, 0);
	assert_int_equal(swept_flow.iterations, 40);
}

TEST(the_cpu_time_of_the_warm_up_is_not_counted)
{
	const struct options o = sweep_options(LATENCY, 2, 0);

	sweep(&o, (struct null_link){ .message_ns = 20000000 });
	assert_int_equal(cost.messages, 2);
	assert_in_range(cost.own.whole_ns, 1, 3 * 20000000);
}

TEST(longer_latency_runs_keep_no_more_samples_than_were_asked_for)
{
	struct options o = sweep_options(LATENCY, 1000, 1);

	sweep(&o, (struct null_link){ .message_ns = 2000 });
	for (size_t i = 0; i < COUNT(latencies); i++)
		assert_true(latencies[i].messages == 1 && latencies[i].time_ns >= 2000);
	assert_true(swept.pings_ns >= SECOND_NS);
	assert_true(swept_flow.iterations > 1000);
	assert_int_equal(swept.count, 1000);
	assert_int_equal(swept_flow.sample_every, swept_flow.iterations / 1000);
	o = sweep_options(LATENCY, 2500000, 0); /* at most a million */
	sweep(&o, (struct null_link){ 0 });
	assert_int_equal(swept_flow.sample_every, 3);
	assert_int_equal(swept.count, 833334);
}

TEST(billions_of_messages_need_no_more_memory)
{
	struct options o = sweep_options(THROUGHPUT, 3000000000, 0);

	sweep(&o, (struct null_link){ .clump = 1 << 20, .depth = 1 << 21, .post_list = 1 << 20 });
	assert_int_equal(swept.count, 20);
	assert_int_equal(swept_messages, 3000000000);
	assert_int_equal(swept.completed.messages, 3000000000);
	assert_int_equal(swept_flow.sample_every, 1);
	assert_int_equal(sweep_room(&o), 20);
	o.verify = true;
	assert_true(sweep_room(&o) * sizeof(struct sample) < MEMORY_BYTES);
	o.measure = LATENCY;
	assert_true(sweep_room(&o) * sizeof(struct sample) < MEMORY_BYTES);
}

TEST(the_factor_aims_a_tenth_above_the_least_time)
{
	static const struct {
		uint32_t factor;
		uint64_t time_ns;
		uint32_t next;
	} cases[] = {
		{ 1, 2ull * SECOND_NS, 0 },
		{ 1, SECOND_NS, 3 },
		{ 100, SECOND_NS, 221 },
		{ 100, 2ull * SECOND_NS - 1, 111 },
		{ 1, 0, 1001 },
		{ UINT32_MAX - 1, 1, UINT32_MAX },
		{ UINT32_MAX, 1, 0 },
	};
	const struct options o = sweep_options(THROUGHPUT, 1000, 2);

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(sweep_factor(&o, cases[i].factor, cases[i].time_ns), cases[i].next);
}

RUN_TESTS("engine", set_up, NULL)
