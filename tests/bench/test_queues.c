/* The real transport and engine at both ends: no queue ever exceeds its size, whatever the options. The fake provider
 * counts the entries (fake_verbs.h): verbs.c, verbs_{pingpong,plan,queue,receive,send}.c. */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "buffer.h"
#include "check.h"
#include "clock.h"
#include "die.h"
#include "fake_verbs.h"
#include "least.h"
#include "rounds.h"
#include "run.h"
#include "sweep.h"
#include "transport.h"

#define SAMPLES (SAMPLES_MAX + 1)
#define ROUNDS_CAP 5
#define WINDOWS 20
#define STEP_NS 10000       /* of the device, in runs by time */
#define MESSAGES_OF_ANY 150 /* rounds up to this are tried with every depth, longer ones with some */

enum mode { PLAIN, VERIFIED, UNTIL_STABLE, LEAST_TIME, BY_TIME };

/* One run of both ends. */
struct traffic {
	enum operation operation;
	enum measure measure;
	enum mode mode;
	uint64_t depth, iterations, warmup, post_list, signal_every;
	uint64_t pairs; /* 0: 1 */
	enum connection connection;
	uint64_t lose_every, messages_per_s;
	bool both;
	enum completion_queues queues;
	uint64_t size_bytes, max_message_bytes;
	uint64_t second_bytes; /* the size of the second time; 0: the same */
	enum wait wait;
	uint64_t pace;
	bool newer_calls;
};

static const char *const operations[] = { "write", "read", "send", "write-imm" };
static const char *const modes[] = { "", " --verify", " --until-stable", " --least-time", " --duration" };
static const uint64_t depths[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 128, 129, 512, 8192 };
static const uint64_t rounds[] = { 1, 2, 3, 40, 63, 64, 65, 128, 137, 1000, 5000 };

static const struct ibv_gid_entry loopback = { .gid.raw = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 },
					       .port_num = 1,
					       .gid_type = IBV_GID_TYPE_ROCE_V2 };
static struct sample samples[2][SAMPLES], completions[SAMPLES], trips[ROUNDS_TRIPS], shares[SHARES_MAX];
static struct traffic now;
static struct options options[2];

/* In runs by time the device moves the clock and its timer: otherwise a busy host could take half a second from the
 * programs, and no message would complete in the middle half. */
static uint64_t clock_ns = NS_PER_S, tick_ns, next_tick_ns;

static void move_clock(void)
{
	clock_ns += STEP_NS;
	if (tick_ns == 0 || clock_ns < next_tick_ns)
		return;
	next_tick_ns += tick_ns;
	raise(SIGUSR1);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_MONOTONIC_RAW || now.mode != BY_TIME)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){ (time_t)(clock_ns / NS_PER_S), (long)(clock_ns % NS_PER_S) };
	return 0;
}

int timer_create(clockid_t id, struct sigevent *event, timer_t *timer)
{
	assert_int_equal(event->sigev_signo, SIGUSR1);
	return 0;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *every, struct itimerspec *before)
{
	tick_ns = (uint64_t)every->it_interval.tv_sec * NS_PER_S + (uint64_t)every->it_interval.tv_nsec;
	next_tick_ns = clock_ns + tick_ns;
	return 0;
}

int timer_delete(timer_t timer)
{
	tick_ns = 0;
	return 0;
}

static void set_options(const struct traffic *r)
{
	const struct options both = { .measure = r->measure,
				      .wait = r->wait,
				      .sizes = { .count = r->second_bytes ? 2 : 1,
						 .plans = { { r->size_bytes }, { r->second_bytes } } },
				      .windows = WINDOWS,
				      .until_stable = r->mode == UNTIL_STABLE,
				      .least_time_s = r->mode == LEAST_TIME,
				      .duration_s = r->mode == BY_TIME,
				      .stable_window = 2,
				      .rounds_cap = ROUNDS_CAP,
				      .seed = 1,
				      .deadline_s = 10,
				      .verify = r->mode == VERIFIED,
				      .both = r->both,
				      .pace = r->messages_per_s };

	verbs_set_defaults();
	verbs_set("operation", r->operation);
	verbs_set("connection", r->connection);
	verbs_set("pairs", r->pairs ? r->pairs : 1);
	verbs_set("completion-queues", r->queues);
	verbs_set("tx-depth", r->depth);
	verbs_set("rx-depth", r->depth);
	verbs_set("post-list", r->post_list);
	verbs_set("signal-every", r->signal_every);
	options[SERVER] = options[CLIENT] = both;
	options[CLIENT].role = CLIENT;
}

/* Each queue pair has sent its share, and had done so before the end. */
static void check_shares(const struct result *r, uint64_t iterations)
{
	uint64_t messages = 0;

	for (size_t i = 0; i < r->share_count; i++) {
		messages += r->shares[i].messages;
		if (r->shares[i].messages > iterations / r->share_count + 1 ||
		    r->shares[i].time_ns > r->completed.time_ns)
			die("pair %zu sent %lu of %lu messages in %lu of %lu ns", i, r->shares[i].messages, iterations,
			    r->shares[i].time_ns, r->completed.time_ns);
	}
	if (messages != iterations)
		die("%zu pairs sent %lu of %lu messages", r->share_count, messages, iterations);
}

/* All that did not arrive was lost; the warm-up and the time before are not counted. */
static void check_loss(const struct result *r, uint64_t lost)
{
	if (r->sent.messages != r->confirmed.messages + lost || (now.lose_every > 1 && r->confirmed.messages == 0))
		die("%lu messages were sent and %lu lost, %lu arrived", r->sent.messages, lost, r->confirmed.messages);
}

/* Twice: what the first time leaves in the queues must not affect the second. */
static void run_end(enum role role, int side)
{
	const struct options *o = &options[role];
	struct link *l = verbs_transport.open(o, &(struct session){ .peer = side, .listener = -1 });
	struct result result;

	for (int time = 0; time < 2; time++) {
		const uint64_t size_bytes = time == 1 && now.second_bytes ? now.second_bytes : now.size_bytes;
		struct flow f = { .size_bytes = size_bytes,
				  .iterations = o->duration_s ? UNTIL_STOPPED : now.iterations,
				  .asked = now.iterations,
				  .sample_every = 1,
				  .warmup = now.warmup,
				  .slots = buffer_slots(o, size_bytes) };

		if (role == CLIENT)
			fake_verbs.lost = 0;
		result = (struct result){
			.samples = samples[role], .completions = completions, .trips = trips, .shares = shares
		};
		verbs_transport.plan(l, &f);
		(now.mode == UNTIL_STABLE ? rounds_size :
					    bench_size)(&(struct run){ &verbs_transport, l, o, &f, &result });
		if (o->duration_s && role == CLIENT &&
		    (result.count == 0 || result.confirmed.messages == UNTIL_STOPPED))
			die("%zu windows, %lu messages", result.count, result.confirmed.messages);
		if (role == CLIENT && f.warmup == 0 && f.arrival == MAY_BE_LOST)
			check_loss(&result, fake_verbs.lost);
		if (role == CLIENT && now.messages_per_s &&
		    (result.sent.messages - 1) * NS_PER_S / now.messages_per_s > result.sent.time_ns)
			die("%lu messages left in %lu ns", result.sent.messages, result.sent.time_ns);
		if (now.both && now.mode == PLAIN && role == SERVER && result.back.messages != now.iterations)
			die("the server sent %lu of %lu messages", result.back.messages, now.iterations);
		if (role == CLIENT && now.pairs > 1 && now.mode == PLAIN)
			check_shares(&result, now.iterations);
		if (o->least_time_s && role == CLIENT)
			verbs_transport.order(l, 0);
		else if (o->least_time_s)
			verbs_transport.ordered(l);
	}
	verbs_transport.drain(l);
	verbs_transport.close(l);
}

static void run_both(const struct traffic *r)
{
	struct fake_device device = { .name = "fake0",
				      .newer_calls = r->newer_calls,
				      .port = { .state = IBV_PORT_ACTIVE,
						.active_mtu = IBV_MTU_4096,
						.gid_tbl_len = 1,
						.max_msg_sz = (uint32_t)r->max_message_bytes,
						.link_layer = IBV_LINK_LAYER_ETHERNET },
				      .gids = &loopback,
				      .gid_count = 1 };
	static char name[512]; /* errors begin with it */

	fake_verbs = (struct fake_verbs){ .devices = &device,
					  .device_count = 1,
					  .pace = r->pace,
					  .lose_every = r->lose_every,
					  .idle = two_ends_switch,
					  .act = move_clock };
	snprintf(
		name, sizeof(name),
		"%s %s%s of %lu bytes in requests of %lu, --tx-depth %lu, %lu + %lu messages, --post-list %ld, "
		"--signal-every %ld, --wait %d, pace %lu, --pairs %lu, queues %d, both %d, connection %d, 1 in %lu lost",
		operations[r->operation], r->measure == LATENCY ? "latency" : "throughput", modes[r->mode],
		r->size_bytes, r->max_message_bytes, r->depth, r->warmup, r->iterations, (long)r->post_list,
		(long)r->signal_every, r->wait, r->pace, r->pairs, r->queues, r->both, r->connection, r->lose_every);
	die_name(name);
	now = *r;
	set_options(r);
	two_ends_run(run_end);
}

/* Less important parameters vary from run to run, in steps without a common factor. */
static void run_varied(struct traffic r)
{
	static uint64_t count;
	const bool marked = r.operation == OP_WRITE && r.measure == LATENCY; /* polls memory */
	const uint64_t cut = ++count % 4 == 0 && r.measure == THROUGHPUT ? 2 : 1;
	const uint64_t pairs =
		r.measure == LATENCY || r.mode == VERIFIED ? 1 : (uint64_t[]){ 1, 3, 1, 2, 5, 1, 64 }[count % 7];
	const uint64_t window = (r.mode == PLAIN ? r.iterations / WINDOWS : r.depth) / pairs;
	const uint64_t most = least(r.depth / cut, window); /* messages of a list, and to a completion */
	const uint64_t lists[][2] = { { AUTO, AUTO }, { 1, 1 },       { most, most }, { 1, most },
				      { most, 1 },    { AUTO, most }, { most, AUTO } };
	const uint64_t *list = lists[r.measure == LATENCY ? 0 : count % COUNT(lists)];

	r.pairs = pairs;
	r.both = r.measure == THROUGHPUT && r.mode == PLAIN && count % 3 == 0;
	r.wait = marked ? WAIT_YIELD : (enum wait)(count % 13 % 3);
	if (r.both && (r.operation == OP_SEND || r.operation == OP_WRITE_IMM))
		r.wait = (enum wait)(count % 2); /* not event */
	r.queues = count % 4 < 2 ? QUEUES_SHARED : QUEUES_EACH;
	r.size_bytes = (uint64_t[]){ 8, 2, 100, 64, 4 }[count / 5 % 5];
	r.max_message_bytes = r.size_bytes / cut;
	r.pace = (uint64_t[]){ 0, 1, 7, 100, 1 }[count % 5];
	r.warmup = (uint64_t[]){ 0, 1, 0, 5, 0, 40, 100 }[count % 7];
	r.newer_calls = count % 11 != 0;
	r.post_list = list[0];
	r.signal_every = list[1];
	if (r.depth >= cut && (r.measure == LATENCY || window > 0))
		run_both(&r);
}

static void run_depths_and_rounds(struct traffic r)
{
	for (size_t i = 0; i < COUNT(depths); i++)
		for (size_t j = 0; j < COUNT(rounds); j++) {
			r.depth = depths[i];
			r.iterations = rounds[j];
			for (int lists = 0; lists < (r.measure == THROUGHPUT ? 2 : 1); lists++)
				if (rounds[j] <= MESSAGES_OF_ANY || (i + j) % 5 == r.operation)
					run_varied(r);
		}
}

CHILD_TEST(no_operation_overfills_a_queue, 0, NULL)
{
	struct traffic r = { .operation = OP_WRITE };

	for (; r.operation <= OP_WRITE_IMM; r.operation++)
		for (r.measure = THROUGHPUT; r.measure <= LATENCY; r.measure++)
			for (r.mode = PLAIN; r.mode <= (r.measure == LATENCY ? VERIFIED : UNTIL_STABLE); r.mode++)
				run_depths_and_rounds(r);
}

/* The common parameters of the tests below. */
static struct traffic traffic(enum operation operation)
{
	return (struct traffic){ .operation = operation,
				 .depth = 64,
				 .iterations = 200,
				 .post_list = AUTO,
				 .signal_every = AUTO,
				 .size_bytes = 8,
				 .max_message_bytes = 8 };
}

/* Two and a half requests a message. Control messages use receive requests, so that any piece may meet any of them. */
CHILD_TEST(a_receive_request_has_room_for_any_piece_of_any_message, 0, NULL)
{
	struct traffic r = traffic(OP_SEND);

	r.iterations = 20;
	r.warmup = 5;
	r.size_bytes = 40960;
	r.max_message_bytes = 16384;
	for (r.mode = VERIFIED; r.mode <= LEAST_TIME; r.mode++)
		run_both(&r);
}

/* The receive requests of small messages are spread over a page; some are left for the largest message. */
CHILD_TEST(a_receive_request_left_by_small_messages_has_room_for_the_largest, 0, NULL)
{
	struct traffic r = traffic(OP_SEND);

	r.mode = LEAST_TIME;
	r.iterations = 63;
	r.size_bytes = 1;
	r.second_bytes = 8192;
	r.max_message_bytes = 1 << 30;
	run_both(&r);
}

/* Receive requests of small messages are left when the time is over, and take the larger ones. */
CHILD_TEST(a_round_that_ends_by_time_ends_at_both_ends, 0, NULL)
{
	struct traffic r = traffic(OP_SEND);

	r.mode = BY_TIME;
	r.pace = 7;
	r.warmup = 5;
	r.second_bytes = 20000;
	r.max_message_bytes = 8192;
	run_both(&r);
	r.operation = OP_WRITE_IMM;
	r.pairs = 3;
	r.second_bytes = 0;
	run_both(&r);
	r.operation = OP_WRITE;
	run_both(&r);
}

CHILD_TEST(pings_need_no_acknowledgements_and_end_by_time_at_both_ends, 0, NULL)
{
	for (int i = 0; i < 40; i++) {
		struct traffic r = traffic((enum operation[]){ OP_SEND, OP_WRITE, OP_WRITE_IMM, OP_SEND }[i % 4]);

		r.measure = LATENCY;
		r.connection = i % 4 == 3 ? DATAGRAMS : UNRELIABLE;
		r.wait = r.operation == OP_WRITE ? WAIT_YIELD : (enum wait)(i / 4 % 3);
		r.mode = i == 1 || i == 3 ? BY_TIME : PLAIN;
		r.depth = depths[i / 4];
		r.warmup = i % 3;
		r.pace = (uint64_t[]){ 7, 0, 100 }[i % 3];
		r.max_message_bytes = 1 << 30;
		run_both(&r);
	}
}

CHILD_TEST(messages_without_acknowledgement_may_be_lost_and_are_counted, 0, NULL)
{
	struct traffic unseen = traffic(OP_WRITE);

	for (enum connection connection = UNRELIABLE; connection <= DATAGRAMS; connection++)
		for (int i = 0; i < 36; i++) {
			struct traffic r = traffic(connection == UNRELIABLE && i % 5 == 4 ? OP_WRITE_IMM : OP_SEND);

			r.connection = connection;
			r.lose_every = (uint64_t[]){ 0, 1, 7 }[i % 3];
			r.wait = (enum wait)(i / 3 % 3);
			r.pairs = i % 4 == 3 ? 3 : 1;
			r.queues = i % 8 < 4 ? QUEUES_SHARED : QUEUES_EACH;
			r.mode = i % 6 == 5 ? BY_TIME : PLAIN;
			r.warmup = i / 9 == 1 ? 50 : 0;
			r.pace = (uint64_t[]){ 7, 0, 100 }[i / 12];
			r.second_bytes = r.mode == BY_TIME ? 4096 : 0;
			r.max_message_bytes = 1 << 30;
			r.messages_per_s = i % 7 == 6 && r.mode == PLAIN ? 1000000 : 0;
			run_both(&r);
		}
	unseen.connection = UNRELIABLE;
	unseen.lose_every = 7;
	run_both(&unseen);
}

CHILD_TEST(small_messages_use_all_cache_lines_of_a_page, 0, NULL)
{
	for (enum operation operation = OP_WRITE; operation <= OP_WRITE_IMM; operation++) {
		struct traffic r = traffic(operation);

		r.post_list = r.signal_every = 1;
		run_both(&r);
		for (int line = 0; line < FAKE_LINES; line++)
			if (fake_verbs.landed[line] < 2 * 200 / FAKE_LINES)
				die("line %d took %lu messages", line, fake_verbs.landed[line]);
	}
}

TEST(small_messages_have_as_many_slots_as_fill_a_page)
{
	static const uint64_t cases[][3] = { { 1, 64, 64 },   { 64, 64, 64 },  { 65, 32, 64 },
					     { 2048, 2, 64 }, { 4096, 1, 64 }, { 1 << 20, 1, 32 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(buffer_slots(&(struct options){ 0 }, cases[i][0]), cases[i][1]);
		assert_int_equal(buffer_slots(&(struct options){ .verify = true }, cases[i][0]), cases[i][2]);
	}
}

#define PINGS 40

static void ping(uint64_t depth)
{
	struct traffic r = traffic(OP_SEND);

	r.measure = LATENCY;
	r.depth = depth;
	r.iterations = PINGS;
	run_both(&r);
}

/* A message has used one of 8 receive requests; the answer does not wait for the next. */
CHILD_TEST(an_answer_leaves_before_the_next_receive_request_is_posted, 0, NULL)
{
	const uint64_t *sent = fake_verbs.sent_with_ready;

	ping(8);
	if (sent[7] < (uint64_t)2 * (PINGS - 8) || sent[8] > 2)
		die("%lu answers left with 7 requests ready, %lu with 8", sent[7], sent[8]);
}

/* Only the last message of each of two rounds may be sent without a receive request posted: it has no answer. */
CHILD_TEST(an_answer_never_leaves_without_a_receive_request, 0, NULL)
{
	ping(1);
	if (fake_verbs.sent_with_ready[0] > 2)
		die("%lu messages left an end with no request ready", fake_verbs.sent_with_ready[0]);
}

RUN_TESTS("queues", NULL, NULL)
