#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "watch.h"
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

static struct windows *volatile timed;
static timer_t timer;

/* The loop looks at its progress after the next message, without a reading of the clock for each. */
static void on_tick(int signal_number)
{
	(void)signal_number;
	timed->mark = 0;
}

static void start_clock(struct windows *w)
{
	const uint64_t tick_ns = w->lasts_ns / (4 * w->count); /* half a window */
	const struct timespec t = { (time_t)(tick_ns / NS_PER_S), (long)(tick_ns % NS_PER_S) };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	timed = w;
	w->start_ns = now_ns();
	if (w->lasts_ns == 0)
		return;
	if (sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &(struct itimerspec){ t, t }, NULL))
		die("no timer for --duration: %s", strerror(errno));
}

static void stop_clock(const struct windows *w)
{
	if (w->lasts_ns)
		timer_delete(timer);
}

static void look(const struct run *run, struct windows *w, uint64_t done)
{
	windows_look(w, done, now_ns());
	if (w->over && w->messages == UNTIL_STOPPED)
		w->messages = run->transport->stop(run->link);
}

/* The send window slides: the next messages start as soon as there is room. After each post the loop looks for
 * completions, so that an interval is stamped when it ends, however deep the queue. */
static void stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	uint64_t messages = w->messages, posted;
	uint64_t sent = post_first_list(run, least(f->post_list, messages)), done = 0;

	while (done < messages) {
		if (sent < messages && sent - done + f->post_list <= f->depth &&
		    (posted = t->post(l, least(messages - sent, f->post_list))) > 0) {
			sent += posted;
			done += t->peek(l);
		} else {
			done += t->reap(l);
		}
		if (done >= w->mark) {
			look(run, w, done);
			messages = w->messages;
		}
	}
}

/* The messages that --pace allows by now. */
static uint64_t due(const struct run *run, const struct windows *w)
{
	return 1 + (uint64_t)((double)(now_ns() - w->start_ns) / NS_PER_S * (double)run->options->pace);
}

/* The loop with --pace: looks for completions until the next message is due. */
static void stream_paced(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	uint64_t sent = 0, done = 0, room, now;

	while (done < w->messages) {
		now = least(least(due(run, w), w->messages) - sent, f->post_list - sent % f->post_list);
		room = f->depth - (sent - done);
		if (now > 0 && room > 0) {
			sent += t->post(l, least(now, room));
			watch_advance();
		}
		done += sent == w->messages || room == 0 ? t->reap(l) : t->peek(l);
		if (done >= w->mark)
			look(run, w, done);
	}
}

/* The loop of a transport without completions: the client learns nothing before the receiver answers. */
static void pour(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const uint64_t list = run->flow->post_list;

	for (uint64_t sent = 0; sent < w->messages;) {
		sent += t->post(l, least(w->messages - sent, list));
		if (w->lasts_ns && sent >= w->mark)
			look(run, w, sent);
	}
}

/* Sends all messages. Takes windows only if this end has completions. */
static void send_all(const struct run *run, struct windows *w)
{
	start_clock(w);
	(run->options->pace ? stream_paced : run->transport->reap ? stream : pour)(run, w);
	w->end_ns = now_ns();
	stop_clock(w);
	run->transport->finish(run->link);
}

static struct sample last_window(const struct run *run, const struct windows *w)
{
	const struct result *r = w->result;

	if (r->count == 0)
		die("no message of %" PRIu64 " bytes completed in the middle half of %" PRIu64 " s; raise --duration",
		    run->flow->size_bytes, run->options->duration_s);
	return r->samples[r->count - 1];
}

static void tell_loss(const struct run *run)
{
	const struct sample lost = run->transport->lost(run->link);

	run->transport->order(run->link, (uint32_t)lost.messages);
	run->transport->order(run->link, (uint32_t)(lost.time_ns >> 32));
	run->transport->order(run->link, (uint32_t)lost.time_ns);
}

/* Waits until all messages have arrived, and notifies the other end. */
static void confirm(const struct run *run, struct windows *w)
{
	run->transport->arrive(run->link, w);
	run->transport->signal(run->link, CONTROL_GO);
	if (run->flow->arrival == MAY_BE_LOST)
		tell_loss(run);
}

/* What arrived, in the longer of the times of the two ends: a control message may be lost, and is late then. */
static struct sample arrived(const struct run *run, const struct sample *sent)
{
	const uint64_t lost = run->transport->ordered(run->link), high = run->transport->ordered(run->link);
	const uint64_t took_ns = high << 32 | run->transport->ordered(run->link);

	return (struct sample){ sent->messages - lost, took_ns > sent->time_ns ? took_ns : sent->time_ns };
}

static struct stops client_stream(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct stops stops = { 0 };
	struct processor_time before;

	t->begin(l, w->messages);
	t->await(l);
	sched_yield(); /* on one CPU the server is still awake: what it does now is not part of the round */
	before = processor_now();
	if (run->options->both && !t->reap) {
		/* As at the server, the clock starts with the signal that lets the other end begin. */
		t->signal(l, CONTROL_GO);
		start_clock(w);
		confirm(run, w);
		stop_clock(w);
	} else {
		send_all(run, w);
		if (run->options->both)
			confirm(run, NULL);
	}
	t->await(l);
	stops.confirmed = (struct sample){ w->messages, now_ns() - w->start_ns };
	stops.sent = (struct sample){ w->messages, w->end_ns - w->start_ns };
	if (run->flow->arrival == MAY_BE_LOST)
		stops.confirmed = arrived(run, &stops.sent);
	stops.completed = t->reap ? last_window(run, w) : stops.confirmed;
	processor_add_since(&stops.processor, &before);
	return stops;
}

static void stream_answer(const struct run *run, struct windows *w)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct processor_time before;

	t->begin(l, w->messages);
	before = processor_now();
	t->signal(l, CONTROL_GO);
	if (run->options->both && t->reap)
		send_all(run, w);
	if (t->tell) /* the windows are the receiver's */
		start_clock(w);
	if (run->options->both && t->tell)
		t->await(l);
	confirm(run, w);
	if (t->tell)
		stop_clock(w);
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

/* The receiver sends how long before its last look each sample ended; that look was at the time of its answer here. */
static void count_back(struct sample *samples, size_t count, uint64_t whole_ns)
{
	for (size_t i = 0; i < count; i++) {
		if (samples[i].time_ns >= whole_ns)
			die("the server reports a window %" PRIu64 " ns before the end of a round of %" PRIu64 " ns",
			    samples[i].time_ns, whole_ns);
		samples[i].time_ns = whole_ns - samples[i].time_ns;
	}
}

static void hear_windows(const struct run *run)
{
	struct result *result = run->result;

	result->count = run->transport->hear(run->link, result->samples, run->options->windows);
	if (run->options->duration_s || run->options->both) /* they start at the first one's start */
		result->completed = result->samples[result->count - 1];
	else
		count_back(result->samples, result->count, result->confirmed.time_ns);
}

static void count_from(struct sample *samples, size_t count, uint64_t start_ns)
{
	for (size_t i = 0; i < count; i++)
		samples[i].time_ns -= start_ns;
}

static void add_shares(const struct run *run, uint64_t start_ns)
{
	struct result *result = run->result;
	const struct transport *t = run->transport;

	result->share_count = t->shares(run->link, result->shares);
	if (result->share_count > 0 && t->hear) {
		result->share_count = t->hear(run->link, result->shares, SHARES_MAX);
		if (!run->options->both)
			count_back(result->shares, result->share_count, result->confirmed.time_ns);
		return;
	}
	count_from(result->shares, result->share_count, start_ns);
}

static void begin_windows(const struct run *run, struct windows *w)
{
	const struct options *o = run->options;

	if (o->duration_s)
		windows_begin_timed(w, run->result, UNTIL_STOPPED, o->duration_s, o->windows);
	else
		windows_begin(w, run->result, run->flow->iterations, o->windows);
}

void stream_windows(const struct run *run)
{
	struct stops stops;
	struct windows w;

	begin_windows(run, &w);
	stops = client_stream(run, &w);
	run->result->sent = stops.sent;
	run->result->completed = stops.completed;
	run->result->confirmed = stops.confirmed;
	run->result->processor = stops.processor;
	if (run->options->both && run->transport->hear)
		run->result->back = last_window(run, &w);
	if (run->transport->hear)
		hear_windows(run);
	if (run->transport->shares)
		add_shares(run, w.start_ns);
}

/* Sends samples with the time before the last one's end. */
static void tell(const struct run *run, struct sample *samples, size_t count)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < count; i++)
		last_ns = samples[i].time_ns > last_ns ? samples[i].time_ns : last_ns;
	for (size_t i = 0; i < count; i++)
		samples[i].time_ns = last_ns - samples[i].time_ns;
	run->transport->tell(run->link, samples, count);
}

/* Of both directions, the client does not know when this end saw the last message: its times count from the start. */
static void tell_results(const struct run *run, const struct windows *w)
{
	struct result *result = run->result;
	const struct transport *t = run->transport;
	const struct options *o = run->options;

	if ((o->duration_s || o->both) && last_window(run, w).messages > 0)
		t->tell(run->link, result->samples, result->count);
	else
		tell(run, result->samples, result->count);
	if (!t->shares || (result->share_count = t->shares(run->link, result->shares)) == 0)
		return;
	if (o->both) {
		count_from(result->shares, result->share_count, w->start_ns);
		t->tell(run->link, result->shares, result->share_count);
	} else {
		tell(run, result->shares, result->share_count);
	}
}

void stream_answer_windows(const struct run *run)
{
	struct windows w;

	begin_windows(run, &w);
	stream_answer(run, &w);
	if (run->options->both && run->transport->reap)
		run->result->back = last_window(run, &w);
	if (run->transport->tell)
		tell_results(run, &w);
}
