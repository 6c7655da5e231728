#include "run.h"

#include <inttypes.h>

#include "clock.h"
#include "die.h"
#include "pattern.h"
#include "ticks.h"

static void verified_fill(const struct flow *f, unsigned char *slot, uint64_t seed, uint64_t message)
{
	pattern_fill(slot, f->size_bytes, seed, message);
}

static void verified_check(const struct flow *f, const unsigned char *slot, uint64_t seed, uint64_t message)
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
	processor_add(&result->processor, &stops.processor);
}

/* The same timed loop, in rounds that fit side by side into the buffer, with all bytes checked between rounds. */
void verified_stream(const struct run *run)
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
			verified_fill(f, t->outgoing(l, i), seed, first + i);
		add_stops(result, stream_round(run, n));
		if (first / f->slots % f->sample_every == 0)
			result->count++;
		result->samples[result->count - 1] = result->completed;
		for (uint64_t i = 0; i < n && f->to_client; i++)
			verified_check(f, t->incoming(l, i), seed, first + i);
	}
}

void verified_answer_stream(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t seed = run->options->seed;
	struct processor_time before;
	uint64_t n;

	for (uint64_t first = 0; first < f->iterations; first += n) {
		n = f->iterations - first < f->slots ? f->iterations - first : f->slots;
		for (uint64_t i = 0; i < n && f->to_client; i++)
			verified_fill(f, t->outgoing(l, i), seed, first + i);
		t->begin(l, n);
		before = processor_now();
		t->signal(l, CONTROL_GO);
		t->arrive(l, NULL);
		processor_add_since(&run->result->processor, &before);
		for (uint64_t i = 0; i < n && !f->to_client; i++)
			verified_check(f, t->incoming(l, i), seed, first + i);
		t->signal(l, CONTROL_GO);
	}
}

/* Ping and pong have different patterns, so unchanged memory is detected. */
void verified_pings(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	struct result *result = run->result;
	const uint64_t seed = run->options->seed;
	struct processor_time processor;
	uint64_t before, after;

	for (uint64_t i = 0; i < f->iterations; i++) {
		if (!f->to_client)
			verified_fill(f, t->outgoing(l, 0), seed, i);
		t->begin(l, 1);
		t->await(l);
		processor = processor_now();
		before = ticks_now();
		t->pings(l, 1, &after);
		if (i % f->sample_every == 0)
			result->samples[result->count++] = (struct sample){ 1, after - before };
		processor_add_since(&result->processor, &processor);
		t->finish(l);
		t->await(l);
		verified_check(f, t->incoming(l, 0), seed + 1, i);
	}
	ticks_to_ns(result->samples, result->count);
}

void verified_answer_pings(const struct run *run)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	const struct flow *f = run->flow;
	const uint64_t seed = run->options->seed;
	struct processor_time before;

	for (uint64_t i = 0; i < f->iterations; i++) {
		verified_fill(f, t->outgoing(l, 0), seed + 1, i);
		t->begin(l, 1);
		before = processor_now();
		t->signal(l, CONTROL_GO);
		t->pongs(l, 1);
		t->arrive(l, NULL);
		processor_add_since(&run->result->processor, &before);
		if (!f->to_client)
			verified_check(f, t->incoming(l, 0), seed, i);
		t->signal(l, CONTROL_GO);
	}
}
