#include "bench.h"

#include <inttypes.h>
#include <sched.h>

#include "clock.h"
#include "die.h"
#include "pattern.h"
#include "ticks.h"
#include "watch.h"

/* Turns progress into samples: one whenever a further 1/windows of the messages is complete. */
struct windows {
	struct result *result;
	uint64_t messages, count; /* of the round, and windows in it */
	uint64_t mark;            /* where the next window ends */
	uint64_t done;            /* where the last one ended */
	uint64_t time_ns;
};

static void windows_next_mark(struct windows *w)
{
	uint64_t k = w->done * w->count / w->messages + 1;

	w->mark = (k * w->messages + w->count - 1) / w->count;
}

static void windows_begin(struct windows *w, struct result *result, uint64_t messages, uint64_t count)
{
	*w = (struct windows){ .result = result, .messages = messages, .count = count };
	windows_next_mark(w);
}

static void windows_add(struct windows *w, uint64_t done, uint64_t time_ns)
{
	w->result->samples[w->result->count++] = (struct sample){ done - w->done, time_ns - w->time_ns };
	w->done = done;
	w->time_ns = time_ns;
	windows_next_mark(w);
}

/* The window slides: as soon as there is room, the next messages start. Completions are looked for after every
 * call that starts some, so that a window is stamped when it ends, however deep the queue. */
static void stream(const struct transport *t, struct link *l, const struct flow *f, struct windows *w)
{
	const uint64_t messages = w->messages;
	uint64_t sent = 0, done = 0, list;

	w->time_ns = now_ns();
	while (done < messages) {
		if (sent < messages && sent - done + f->post_list <= f->depth) {
			list = messages - sent < f->post_list ? messages - sent : f->post_list;
			sent += t->post(l, list);
			done += t->peek(l);
		} else {
			done += t->reap(l);
		}
		if (done >= w->mark)
			windows_add(w, done, now_ns());
	}
}

static void client_stream(const struct transport *t, struct link *l, const struct flow *f, struct windows *w)
{
	uint64_t start_ns, completed_ns;

	t->begin(l, w->messages);
	t->await(l);
	sched_yield(); /* on one processor the server has not gone to sleep yet; what it does then is not the link's
			  time */
	start_ns = now_ns();
	stream(t, l, f, w);
	completed_ns = w->time_ns;
	t->finish(l);
	t->await(l);
	w->result->completed.messages += w->messages;
	w->result->completed.time_ns += completed_ns - start_ns;
	w->result->confirmed.messages += w->messages;
	w->result->confirmed.time_ns += now_ns() - start_ns;
}

static void client_pings(const struct transport *t, struct link *l, uint64_t messages, uint64_t every,
			 struct result *result)
{
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

struct sample bench_round(const struct transport *t, struct link *l, const struct flow *f, uint64_t messages)
{
	struct sample whole;
	struct result result = { .samples = &whole };
	struct windows w;

	windows_begin(&w, &result, messages, 1);
	client_stream(t, l, f, &w);
	return result.confirmed;
}

void bench_answer_round(const struct transport *t, struct link *l, uint64_t messages)
{
	t->begin(l, messages);
	t->signal(l, CONTROL_GO);
	t->arrive(l);
	t->signal(l, CONTROL_GO);
}

static void server_pongs(const struct transport *t, struct link *l, uint64_t messages)
{
	t->begin(l, messages);
	t->signal(l, CONTROL_GO);
	for (uint64_t i = 0; i < messages; i++) {
		t->pong(l);
		watch_advance();
	}
	t->arrive(l);
	t->signal(l, CONTROL_GO);
}

static void server_round(const struct transport *t, struct link *l, const struct options *o, uint64_t messages)
{
	if (o->measure == LATENCY)
		server_pongs(t, l, messages);
	else
		bench_answer_round(t, l, messages);
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

/* So many rounds that not each can be a sample. */
static void join_last(struct result *result)
{
	struct sample last = result->samples[--result->count];

	result->samples[result->count - 1].messages += last.messages;
	result->samples[result->count - 1].time_ns += last.time_ns;
}

/* The same timed loop, in rounds that fit side by side into the buffer, with every byte checked between them. */
static void client_verified_stream(const struct transport *t, struct link *l, const struct options *o,
				   const struct flow *f, struct result *result)
{
	struct windows w;
	uint64_t n;

	for (uint64_t first = 0; first < f->iterations; first += n) {
		n = f->iterations - first < f->slots ? f->iterations - first : f->slots;
		for (uint64_t i = 0; i < n && !f->to_client; i++)
			fill(f, t->outgoing(l, i), o->seed, first + i);
		windows_begin(&w, result, n, 1);
		client_stream(t, l, f, &w);
		if (first / f->slots % f->sample_every != 0)
			join_last(result);
		for (uint64_t i = 0; i < n && f->to_client; i++)
			check(f, t->incoming(l, i), o->seed, first + i);
	}
}

static void server_verified_stream(const struct transport *t, struct link *l, const struct options *o,
				   const struct flow *f)
{
	uint64_t n;

	for (uint64_t first = 0; first < f->iterations; first += n) {
		n = f->iterations - first < f->slots ? f->iterations - first : f->slots;
		for (uint64_t i = 0; i < n && f->to_client; i++)
			fill(f, t->outgoing(l, i), o->seed, first + i);
		t->begin(l, n);
		t->signal(l, CONTROL_GO);
		t->arrive(l);
		for (uint64_t i = 0; i < n && !f->to_client; i++)
			check(f, t->incoming(l, i), o->seed, first + i);
		t->signal(l, CONTROL_GO);
	}
}

/* Ping and pong carry different patterns, so that an echo of the memory itself can't pass. */
static void client_verified_pings(const struct transport *t, struct link *l, const struct options *o,
				  const struct flow *f, struct result *result)
{
	uint64_t before;

	for (uint64_t i = 0; i < f->iterations; i++) {
		if (!f->to_client)
			fill(f, t->outgoing(l, 0), o->seed, i);
		t->begin(l, 1);
		t->await(l);
		before = now_ns();
		t->ping(l);
		if (i % f->sample_every == 0)
			result->samples[result->count++] = (struct sample){ 1, now_ns() - before };
		t->finish(l);
		t->await(l);
		check(f, t->incoming(l, 0), o->seed + 1, i);
	}
}

static void server_verified_pings(const struct transport *t, struct link *l, const struct options *o,
				  const struct flow *f)
{
	for (uint64_t i = 0; i < f->iterations; i++) {
		fill(f, t->outgoing(l, 0), o->seed + 1, i);
		t->begin(l, 1);
		t->signal(l, CONTROL_GO);
		t->pong(l);
		t->arrive(l);
		if (!f->to_client)
			check(f, t->incoming(l, 0), o->seed, i);
		t->signal(l, CONTROL_GO);
	}
}

static void client_size(const struct transport *t, struct link *l, const struct options *o, const struct flow *f,
			struct result *result)
{
	struct windows w;

	if (o->verify && o->measure == THROUGHPUT) {
		client_verified_stream(t, l, o, f, result);
	} else if (o->verify) {
		client_verified_pings(t, l, o, f, result);
	} else if (o->measure == THROUGHPUT) {
		windows_begin(&w, result, f->iterations, o->windows);
		client_stream(t, l, f, &w);
	} else {
		client_pings(t, l, f->iterations, f->sample_every, result);
	}
}

static void server_size(const struct transport *t, struct link *l, const struct options *o, const struct flow *f)
{
	if (o->verify && o->measure == THROUGHPUT)
		server_verified_stream(t, l, o, f);
	else if (o->verify)
		server_verified_pings(t, l, o, f);
	else
		server_round(t, l, o, f->iterations);
}

static void client_warm_up(const struct transport *t, struct link *l, const struct options *o, const struct flow *f,
			   struct result *result)
{
	if (o->measure == THROUGHPUT)
		bench_round(t, l, f, f->warmup);
	else
		client_pings(t, l, f->warmup, f->warmup, result);
	*result = (struct result){ .samples = result->samples };
}

void bench_size(const struct transport *t, struct link *l, const struct options *o, const struct flow *f,
		struct result *result)
{
	watch_stage("measuring %" PRIu64 " bytes", f->size_bytes);
	if (o->role == CLIENT) {
		if (f->warmup > 0)
			client_warm_up(t, l, o, f, result);
		client_size(t, l, o, f, result);
	} else {
		if (f->warmup > 0)
			server_round(t, l, o, f->warmup);
		server_size(t, l, o, f);
	}
}
