#include "sweep.h"

#include <stdlib.h>

#include "buffer.h"
#include "clock.h"
#include "die.h"
#include "least.h"
#include "rounds.h"
#include "run.h"

#define MARGIN 1.1      /* times the least time: another try would cost all of it again */
#define GROWTH_MAX 1000 /* at once: a few first messages may have been far faster than the rest */

static uint64_t divided_up(uint64_t whole, uint64_t part)
{
	return (whole + part - 1) / part;
}

uint64_t sweep_message_every(const struct flow *f)
{
	return f->iterations / f->asked * divided_up(f->asked, SAMPLES_MAX);
}

uint64_t sweep_sample_every(const struct options *o, const struct flow *f)
{
	if (o->measure == LATENCY)
		return sweep_message_every(f);
	return o->verify ? divided_up(divided_up(f->iterations, f->slots), SAMPLES_MAX) : 1;
}

uint32_t sweep_factor(const struct options *o, uint32_t factor, uint64_t took_ns)
{
	const double least_ns = (double)o->least_time_s * NS_PER_S, took = took_ns > 0 ? (double)took_ns : 1;
	double growth = MARGIN * least_ns / took, raised;

	if (took >= least_ns || factor == UINT32_MAX)
		return 0;
	raised = (double)factor * (growth < GROWTH_MAX ? growth : GROWTH_MAX);
	return raised < UINT32_MAX ? (uint32_t)raised + 1 : UINT32_MAX;
}

uint64_t sweep_room(const struct options *o)
{
	uint64_t room = o->duration_s ? SAMPLES_MAX : 1;

	if (o->until_stable)
		return o->rounds_cap;
	if (o->measure == THROUGHPUT && !o->verify)
		return o->windows;
	for (size_t i = 0; i < o->sizes.count; i++)
		if (o->sizes.plans[i].iterations > room)
			room = o->sizes.plans[i].iterations;
	return least(room, SAMPLES_MAX) + 1; /* one more: the last sample is merged after it was taken */
}

static struct result result_new(const struct options *o)
{
	struct result r = { .samples = calloc(sweep_room(o), sizeof(struct sample)),
			    .completions = calloc(o->until_stable ? o->rounds_cap : 1, sizeof(struct sample)),
			    .trips = calloc(ROUNDS_TRIPS, sizeof(struct sample)),
			    .shares = calloc(SHARES_MAX, sizeof(struct sample)) };

	if (!r.samples || !r.completions || !r.trips || !r.shares)
		die("no memory for the samples");
	return r;
}

static void result_free(struct result *r)
{
	free(r->samples);
	free(r->completions);
	free(r->trips);
	free(r->shares);
}

static struct flow flow_of(const struct options *o, const struct size_plan *plan)
{
	return (struct flow){ .size_bytes = plan->size_bytes,
			      .iterations = plan->iterations,
			      .asked = plan->iterations,
			      .warmup = plan->warmup,
			      .slots = buffer_slots(o, plan->size_bytes) };
}

/* Measures a size, and again with more iterations until it lasts long enough; only the last measurement counts. Without
 * --least-time nothing else is sent. */
static void lasting_size(const struct run *run, struct flow *f, const struct result *room)
{
	const struct options *o = run->options;
	const struct transport *t = run->transport;
	const struct result *r = run->result;
	uint32_t factor = 1, next = 1;

	for (; next > 0; factor = next) {
		f->iterations = o->duration_s ? UNTIL_STOPPED : next * f->asked;
		f->sample_every = sweep_sample_every(o, f);
		t->plan(run->link, f);
		*run->result = *room;
		bench_size(run);
		if (o->duration_s)
			f->iterations = r->sent.messages;
		if (r->every)
			f->sample_every = r->every;
		if (o->least_time_s == 0)
			break;
		if (o->role == CLIENT) {
			next = sweep_factor(o, factor, o->measure == LATENCY ? r->pings_ns : r->confirmed.time_ns);
			t->order(run->link, next);
		} else {
			next = t->ordered(run->link);
		}
	}
}

static void stable_size(const struct run *run, struct flow *f, const struct result *room)
{
	f->sample_every = 1;
	run->transport->plan(run->link, f);
	*run->result = *room;
	rounds_size(run);
}

static struct cost cost_of(const struct options *o, const struct flow *f, const struct result *r)
{
	return (struct cost){ .size_bytes = f->size_bytes,
			      .messages = f->iterations * (o->until_stable ? r->count : 1),
			      .back = r->back,
			      .own = r->processor };
}

void sweep_run(const struct options *o, const struct transport *t, struct link *l, const struct output *output,
	       struct cost *costs)
{
	struct result room = result_new(o), r;
	struct flow f;
	const struct run run = { t, l, o, &f, &r };

	for (size_t i = 0; i < o->sizes.count; i++) {
		f = flow_of(o, &o->sizes.plans[i]);
		(o->until_stable ? stable_size : lasting_size)(&run, &f, &room);
		if (o->role == CLIENT)
			output->size(o, &f, &r);
		costs[i] = cost_of(o, &f, &r);
	}
	result_free(&room);
}
