#include "run.h"

#include <inttypes.h>
#include <sched.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "windows.h"

/* The first list is posted in parts: single messages, then as many as were posted before. The link has work while the
 * program prepares the rest. */
static uint64_t post_first_list(const struct run *run, uint64_t whole)
{
	const struct transport *t = run->transport;
	const uint64_t singles = run->flow->singles;
	uint64_t sent = 0;

	while (sent < whole)
		sent += t->post(run->link, sent < singles ? 1 : least(sent > 0 ? sent : whole, whole - sent));
	return sent;
}

/* The send window slides: the next messages start as soon as there is room. After each post the loop looks for
 * completions, so that an interval is stamped when it ends, however deep the queue. */
static void stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t messages = w->messages;
	uint64_t sent = post_first_list(run, least(f->post_list, messages)), done = 0, posted;

	while (done < messages) {
		posted = 0;
		if (sent < messages && sent - done + f->post_list <= f->depth)
			posted = t->post(l, least(messages - sent, f->post_list));
		sent += posted;
		done += posted > 0 ? t->peek(l) : t->reap(l);
		if (done >= w->mark)
			windows_look(w, done, now_ns());
	}
}

/* The loop of a transport without completions: the client learns nothing before the receiver answers. */
static void pour(const struct run *run, uint64_t messages)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const uint64_t list = run->flow->post_list;

	for (uint64_t sent = 0; sent < messages;)
		sent += t->post(l, messages - sent < list ? messages - sent : list);
}

/* Waits until all messages have arrived, and notifies the other end. */
static void confirm(const struct run *run, struct windows *w)
{
	run->transport->arrive(run->link, w);
	run->transport->signal(run->link, CONTROL_GO);
}

/* Takes windows only if the client has completions. */
static struct stops client_stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct stops stops = { .completed.messages = w->messages, .confirmed.messages = w->messages };
	struct processor_time before;

	t->begin(l, w->messages);
	t->await(l);
	sched_yield(); /* on one CPU the server is still awake: what it does now is not part of the round */
	before = processor_now();
	w->start_ns = now_ns();
	if (t->reap)
		stream(run, w);
	else
		pour(run, w->messages);
	t->finish(l);
	if (run->options->both)
		confirm(run, NULL);
	t->await(l);
	stops.confirmed.time_ns = now_ns() - w->start_ns;
	stops.completed.time_ns = t->reap ? w->result->samples[w->result->count - 1].time_ns : stops.confirmed.time_ns;
	processor_add_since(&stops.processor, &before);
	return stops;
}

static void stream_back(const struct run *run, struct windows *w)
{
	w->start_ns = now_ns();
	stream(run, w);
	run->transport->finish(run->link);
}

static void stream_answer(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct processor_time before;

	t->begin(l, w->messages);
	before = processor_now();
	t->signal(l, CONTROL_GO);
	if (run->options->both)
		stream_back(run, w);
	confirm(run, w);
	if (run->options->both)
		t->await(l);
	processor_add_since(&run->result->processor, &before);
}

struct stops stream_round(const struct run *run, uint64_t messages)
{
	struct sample whole;
	struct result result = { .samples = &whole };
	struct windows w;

	windows_begin(&w, &result, messages, 1);
	return client_stream(run, &w);
}

void stream_answer_round(const struct run *run, uint64_t messages)
{
	struct sample whole;
	struct result result = { .samples = &whole };
	struct windows w;

	windows_begin(&w, &result, messages, 1);
	stream_answer(run, &w);
}

/* The receiver sends how long before its last look each window ended; that look was at the time of its answer here. */
static void hear_windows(const struct run *run)
{
	struct result *result = run->result;
	const uint64_t whole_ns = result->confirmed.time_ns;

	result->count = run->transport->hear(run->link, result->samples, run->options->windows);
	for (size_t i = 0; i < result->count; i++) {
		if (result->samples[i].time_ns >= whole_ns)
			die("the server reports a window %" PRIu64 " ns before the end of a round of %" PRIu64 " ns",
			    result->samples[i].time_ns, whole_ns);
		result->samples[i].time_ns = whole_ns - result->samples[i].time_ns;
	}
}

static void add_shares(const struct run *run, uint64_t start_ns)
{
	struct result *result = run->result;

	result->share_count = run->transport->shares(run->link, result->shares);
	for (size_t i = 0; i < result->share_count; i++)
		result->shares[i].time_ns -= start_ns;
}

void stream_windows(const struct run *run)
{
	struct stops stops;
	struct windows w;

	windows_begin(&w, run->result, run->flow->iterations, run->options->windows);
	stops = client_stream(run, &w);
	run->result->completed = stops.completed;
	run->result->confirmed = stops.confirmed;
	run->result->processor = stops.processor;
	if (run->transport->shares)
		add_shares(run, w.start_ns);
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

void stream_answer_windows(const struct run *run)
{
	struct windows w;

	windows_begin(&w, run->result, run->flow->iterations, run->options->windows);
	stream_answer(run, &w);
	if (run->options->both)
		run->result->back = run->result->samples[run->result->count - 1];
	if (run->transport->tell)
		tell_windows(run);
}
