#include "rounds.h"

#include <inttypes.h>
#include <stdlib.h>

#include "clock.h"
#include "die.h"
#include "run.h"
#include "stable.h"
#include "watch.h"

#define TRIPS_BEFORE 5 /* untimed: the first one wakes the other end */

/* Times control messages there and back, without data: a part of each round that is not data. */
static void client_trips(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct result *result = run->result;
	uint64_t before;

	for (int i = 0; i < TRIPS_BEFORE + ROUNDS_TRIPS; i++) {
		before = now_ns();
		t->signal(l, CONTROL_GO);
		t->await(l);
		if (i >= TRIPS_BEFORE)
			result->trips[result->trip_count++] = (struct sample){ 0, now_ns() - before };
		watch_advance();
	}
}

static void server_trips(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;

	for (int i = 0; i < TRIPS_BEFORE + ROUNDS_TRIPS; i++) {
		t->await(l);
		t->signal(l, CONTROL_GO);
		watch_advance();
	}
}

static void add_settled(struct result *result, uint64_t window)
{
	const uint64_t first = result->count > window ? result->count - window : 0;

	for (uint64_t i = first; i < result->count; i++) {
		result->settled.messages += result->samples[i].messages;
		result->settled.time_ns += result->samples[i].time_ns;
	}
}

static void client_rounds(const struct run *run)
{
	const struct options *o = run->options;
	const struct flow *f = run->flow;
	struct result *result = run->result;
	const struct stable_rule rule = { (double)o->until_stable / 100, o->stable_window, o->rounds_cap };
	double *rates = calloc(o->rounds_cap, sizeof(*rates));
	enum stable_state state = STABLE_GO_ON;
	struct stops round;

	if (!rates)
		die("no memory for %" PRIu64 " rounds", o->rounds_cap);
	while (state == STABLE_GO_ON) {
		round = stream_round(run, f->iterations);
		processor_add(&result->processor, &round.processor);
		rates[result->count] = (double)(f->iterations * f->size_bytes) / (double)round.confirmed.time_ns;
		result->completions[result->count] = round.completed;
		result->samples[result->count++] = round.confirmed;
		state = stable_decide(&rule, rates, result->count);
		run->transport->signal(run->link, state == STABLE_GO_ON ? CONTROL_GO : CONTROL_STOP);
	}
	free(rates);
	result->reached = state == STABLE_REACHED;
	add_settled(result, o->stable_window);
}

static void rounds_client(const struct run *run)
{
	client_trips(run);
	if (run->flow->warmup > 0)
		stream_round(run, run->flow->warmup);
	client_rounds(run);
}

static void rounds_server(const struct run *run)
{
	server_trips(run);
	if (run->flow->warmup > 0)
		stream_answer_round(run, run->flow->warmup);
	run->result->processor = (struct processor_time){ 0 };
	do
		stream_answer_round(run, run->flow->iterations);
	while (run->transport->await(run->link) == CONTROL_GO);
}

void rounds_size(const struct run *run)
{
	watch_stage("measuring rounds of %" PRIu64 " bytes", run->flow->size_bytes);
	if (run->options->role == CLIENT)
		rounds_client(run);
	else
		rounds_server(run);
}
