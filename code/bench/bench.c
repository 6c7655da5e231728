#include "bench.h"

#include <inttypes.h>
#include <sched.h>

#include "clock.h"
#include "die.h"
#include "pattern.h"
#include "ticks.h"
#include "watch.h"
#include "windows.h"

/* The window slides: as soon as there is room, the next messages start. Completions are looked for after every
 * call that starts some, so that a window is stamped when it ends, however deep the queue. */
static void stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t messages = w->messages;
	uint64_t sent = 0, done = 0, list;

	while (done < messages) {
		if (sent < messages && sent - done + f->post_list <= f->depth) {
			list = messages - sent < f->post_list ? messages - sent : f->post_list;
			sent += t->post(l, list);
			done += t->peek(l);
		} else {
			done += t->reap(l);
		}
		if (done >= w->mark)
			windows_look(w, done, now_ns());
	}
}

/* The same where nothing is known of the messages before the receiver answers. */
static void pour(const struct run *run, uint64_t messages)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const uint64_t list = run->flow->post_list;

	for (uint64_t sent = 0; sent < messages;)
		sent += t->post(l, messages - sent < list ? messages - sent : list);
}

/* Windows only where the client has completions. */
static struct stops client_stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct stops stops = { .completed.messages = w->messages, .confirmed.messages = w->messages };

	t->begin(l, w->messages);
	t->await(l);
	sched_yield(); /* on one processor the server has not gone to sleep yet; what it does then is not the link's
			  time */
	w->start_ns = now_ns();
	if (t->reap)
		stream(run, w);
	else
		pour(run, w->messages);
	t->finish(l);
	t->await(l);
	stops.confirmed.time_ns = now_ns() - w->start_ns;
	stops.completed.time_ns = t->reap ? w->result->samples[w->result->count - 1].time_ns : stops.confirmed.time_ns;
	return stops;
}

static void client_pings(const struct run *run, uint64_t messages, uint64_t every)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct result *result = run->result;
	uint64_t kept = 0, before, after, start_ns;

	t->begin(l, messages);
	t->await(l);
	sched_yield();
	start_ns = now_ns();
	before = ticks_now();
	for (uint64_t i = 0; i < messages; i++) {
		t->ping(l);
		after = ticks_now();
		if (i == kept * every)
			result->samples[kept++] = (struct sample){ 1, after - before };
		watch_advance();
		before = after;
	}
	result->pings_ns = now_ns() - start_ns;
	result->count = kept;
	t->finish(l);
	t->await(l);
	ticks_to_ns(result->samples, kept);
}

struct stops bench_round(const struct run *run, uint64_t messages)
{
	struct sample whole;
	struct result result = { .samples = &whole };
	struct windows w;

	windows_begin(&w, &result, messages, 1);
	return client_stream(run, &w);
}

static void answer(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;

	t->begin(l, w->messages);
	t->signal(l, CONTROL_GO);
	t->arrive(l, w);
	t->signal(l, CONTROL_GO);
}

void bench_answer_round(const struct run *run, uint64_t messages)
{
	struct sample whole;
	struct result result = { .samples = &whole };
	struct windows w;

	windows_begin(&w, &result, messages, 1);
	answer(run, &w);
}

static void server_pongs(const struct run *run, uint64_t messages)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;

	t->begin(l, messages);
	t->signal(l, CONTROL_GO);
	for (uint64_t i = 0; i < messages; i++) {
		t->pong(l);
		watch_advance();
	}
	t->arrive(l, NULL);
	t->signal(l, CONTROL_GO);
}

static void fill(const struct flow *f, unsigned char *slot, uint64_t seed, uint64_t message)
{
	pattern_fill(slot, f->size_bytes, seed, message);
}

static void check(const struct flow *f, const unsigned char *slot, uint64_t seed, uint64_t message)
{
	uint64_t at = pattern_check(slot, f->size_bytes - f->marked, seed, message);

	if (at != PATTERN_GOOD)
		die("verify: %" PRIu64 " bytes, message %" PRIu64 ": byte %" PRIu64 " is wrong where it landed",
		    f->size_bytes, message, at);
}

static void add_stops(struct result *result, struct stops stops)
{
	result->completed.messages += stops.completed.messages;
	result->completed.time_ns += stops.completed.time_ns;
	result->confirmed.messages += stops.confirmed.messages;
	result->confirmed.time_ns += stops.confirmed.time_ns;
}

/* The same timed loop, in rounds that fit side by side into the buffer, with every byte checked between them. */
static void client_verified_stream(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	struct result *result = run->result;
	const uint64_t seed = run->options->seed;
	uint64_t n;

	for (uint64_t first = 0; first < f->iterations; first += n) {
		n = f->iterations - first < f->slots ? f->iterations - first : f->slots;
		for (uint64_t i = 0; i < n && !f->to_client; i++)
			fill(f, t->outgoing(l, i), seed, first + i);
		add_stops(result, bench_round(run, n));
		if (first / f->slots % f->sample_every == 0)
			result->count++;
		result->samples[result->count - 1] = result->completed;
		for (uint64_t i = 0; i < n && f->to_client; i++)
			check(f, t->incoming(l, i), seed, first + i);
	}
}

static void server_verified_stream(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t seed = run->options->seed;
	uint64_t n;

	for (uint64_t first = 0; first < f->iterations; first += n) {
		n = f->iterations - first < f->slots ? f->iterations - first : f->slots;
		for (uint64_t i = 0; i < n && f->to_client; i++)
			fill(f, t->outgoing(l, i), seed, first + i);
		t->begin(l, n);
		t->signal(l, CONTROL_GO);
		t->arrive(l, NULL);
		for (uint64_t i = 0; i < n && !f->to_client; i++)
			check(f, t->incoming(l, i), seed, first + i);
		t->signal(l, CONTROL_GO);
	}
}

/* Ping and pong carry different patterns, so that an echo of the memory itself can't pass. */
static void client_verified_pings(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	struct result *result = run->result;
	const uint64_t seed = run->options->seed;
	uint64_t before;

	for (uint64_t i = 0; i < f->iterations; i++) {
		if (!f->to_client)
			fill(f, t->outgoing(l, 0), seed, i);
		t->begin(l, 1);
		t->await(l);
		before = now_ns();
		t->ping(l);
		if (i % f->sample_every == 0)
			result->samples[result->count++] = (struct sample){ 1, now_ns() - before };
		t->finish(l);
		t->await(l);
		check(f, t->incoming(l, 0), seed + 1, i);
	}
}

static void server_verified_pings(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t seed = run->options->seed;

	for (uint64_t i = 0; i < f->iterations; i++) {
		fill(f, t->outgoing(l, 0), seed + 1, i);
		t->begin(l, 1);
		t->signal(l, CONTROL_GO);
		t->pong(l);
		t->arrive(l, NULL);
		if (!f->to_client)
			check(f, t->incoming(l, 0), seed, i);
		t->signal(l, CONTROL_GO);
	}
}

/* The receiver says how long before its last look each window ended: then was the time of its answer here. */
static void hear_windows(const struct run *run)
{
	struct result *result = run->result;
	const uint64_t whole_ns = result->confirmed.time_ns;

	result->count = run->transport->hear(run->link, result->samples, run->options->windows);
	for (size_t i = 0; i < result->count; i++) {
		if (result->samples[i].time_ns >= whole_ns)
			die("the server says that a window ended %" PRIu64 " ns before the end of %" PRIu64,
			    result->samples[i].time_ns, whole_ns);
		result->samples[i].time_ns = whole_ns - result->samples[i].time_ns;
	}
}

static void client_windows(const struct run *run)
{
	struct windows w;

	windows_begin(&w, run->result, run->flow->iterations, run->options->windows);
	add_stops(run->result, client_stream(run, &w));
	if (run->transport->hear)
		hear_windows(run);
}

static void tell_windows(const struct run *run)
{
	struct result *result = run->result;
	const uint64_t last_ns = result->samples[result->count - 1].time_ns;

	for (size_t i = 0; i < result->count; i++)
		result->samples[i].time_ns = last_ns - result->samples[i].time_ns;
	run->transport->tell(run->link, result->samples, result->count);
}

static void server_windows(const struct run *run)
{
	struct windows w;

	windows_begin(&w, run->result, run->flow->iterations, run->options->windows);
	answer(run, &w);
	if (run->transport->tell)
		tell_windows(run);
}

static void client_size(const struct run *run)
{
	const struct options *o = run->options;

	if (o->verify && o->measure == THROUGHPUT)
		client_verified_stream(run);
	else if (o->verify)
		client_verified_pings(run);
	else if (o->measure == THROUGHPUT)
		client_windows(run);
	else
		client_pings(run, run->flow->iterations, run->flow->sample_every);
}

static void server_size(const struct run *run)
{
	const struct options *o = run->options;

	if (o->verify && o->measure == THROUGHPUT)
		server_verified_stream(run);
	else if (o->verify)
		server_verified_pings(run);
	else if (o->measure == THROUGHPUT)
		server_windows(run);
	else
		server_pongs(run, run->flow->iterations);
}

static void client_warm_up(const struct run *run)
{
	const uint64_t messages = run->flow->warmup;

	if (run->options->measure == THROUGHPUT)
		bench_round(run, messages);
	else
		client_pings(run, messages, messages);
	*run->result = (struct result){ .samples = run->result->samples };
}

static void server_warm_up(const struct run *run)
{
	const uint64_t messages = run->flow->warmup;

	if (run->options->measure == THROUGHPUT)
		bench_answer_round(run, messages);
	else
		server_pongs(run, messages);
}

void bench_size(const struct run *run)
{
	watch_stage("measuring %" PRIu64 " bytes", run->flow->size_bytes);
	if (run->options->role == CLIENT) {
		if (run->flow->warmup > 0)
			client_warm_up(run);
		client_size(run);
	} else {
		if (run->flow->warmup > 0)
			server_warm_up(run);
		server_size(run);
	}
}
