#include "mpi_exchange.h"

#include <inttypes.h>

#include "clock.h"
#include "die.h"
#include "mpi_options.h"
#include "pattern.h"
#include "span.h"
#include "sweep.h"
#include "ticks.h"
#include "watch.h"

/* The time of one message in every `every` is a sample; returns how many there are. */
typedef uint64_t loop(const struct exchange *, uint64_t messages, uint64_t every, struct sample *samples);

static uint64_t pings(const struct exchange *e, uint64_t messages, uint64_t every, struct sample *samples)
{
	struct processor_time processor;
	uint64_t kept = 0, before, after;

	MPI_Barrier(MPI_COMM_WORLD);
	processor = processor_now();
	before = ticks_now();
	for (uint64_t i = 0; i < messages; i++) {
		e->calls->ping(&e->message);
		after = ticks_now();
		if (i == kept * every)
			samples[kept++] = (struct sample){ 1, after - before };
		watch_advance();
		before = after;
	}
	processor_add_since(e->processor, &processor);
	ticks_to_ns(samples, kept);
	return kept;
}

static uint64_t pongs(const struct exchange *e, uint64_t messages, uint64_t every, struct sample *samples)
{
	struct processor_time before;

	(void)every;
	(void)samples;
	MPI_Barrier(MPI_COMM_WORLD);
	before = processor_now();
	for (uint64_t i = 0; i < messages; i++) {
		e->calls->pong(&e->message);
		watch_advance();
	}
	processor_add_since(e->processor, &before);
	return 0;
}

/* Both ranks begin each message together, so no send finds the receiver busy with the previous one. Nor does a rank go
 * on to other work while its peer still measures: on one CPU that would take time from the peer. A rank in a barrier
 * polls, so CPU time is read on both sides of each call, outside the timed part. */
static uint64_t one_way(const struct exchange *e, void (*call)(const struct message *), uint64_t messages,
			uint64_t every, struct sample *samples)
{
	struct processor_time processor;
	uint64_t kept = 0, before, took;

	for (uint64_t i = 0; i < messages; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		processor = processor_now();
		before = ticks_now();
		call(&e->message);
		took = ticks_now() - before;
		processor_add_since(e->processor, &processor);
		if (i == kept * every)
			samples[kept++] = (struct sample){ 1, took };
		watch_advance();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	ticks_to_ns(samples, kept);
	return kept;
}

static uint64_t sends(const struct exchange *e, uint64_t messages, uint64_t every, struct sample *samples)
{
	return one_way(e, e->calls->send, messages, every, samples);
}

static uint64_t receives(const struct exchange *e, uint64_t messages, uint64_t every, struct sample *samples)
{
	return one_way(e, e->calls->receive, messages, every, samples);
}

static loop *const loops[][2] = {
	[PING_PONG] = { pings, pongs },
	[ONE_WAY] = { sends, receives },
};

static void exchange_check(const struct exchange *e, uint64_t seed, uint64_t message)
{
	uint64_t at = pattern_check(e->message.in, e->message.bytes, seed, message);

	if (at != PATTERN_GOOD)
		die("verify: %" PRIu64 " bytes, message %" PRIu64 ": byte %" PRIu64 " is wrong where it landed",
		    e->message.bytes, message, at);
}

/* The same loop, one message at a time; the two directions have different patterns. */
static uint64_t verified(const struct exchange *e, loop *run, const struct options *o, uint64_t mode,
			 const struct flow *f, struct sample *samples)
{
	const bool sends_too = e->rank == 0 || mode == PING_PONG, receives_too = e->rank == 1 || mode == PING_PONG;

	for (uint64_t i = 0; i < f->iterations; i++) {
		if (sends_too)
			pattern_fill(e->message.out, e->message.bytes, o->seed + (uint64_t)e->rank, i);
		run(e, 1, 1, &samples[i / f->sample_every]);
		if (receives_too)
			exchange_check(e, o->seed + (uint64_t)(1 - e->rank), i);
	}
	return (f->iterations + f->sample_every - 1) / f->sample_every;
}

/* The clock of rank 0 decides for both ranks. */
static uint64_t timed(const struct exchange *e, loop *run, const struct options *o, struct flow *f,
		      struct sample *samples)
{
	struct span span = span_new(o->duration_s);

	while (span.messages > 0) {
		run(e, span.messages, 1, samples + span.count);
		span_keep(&span, samples);
		span_next(&span);
		MPI_Bcast(&span, sizeof(span), MPI_BYTE, 0, MPI_COMM_WORLD);
	}
	f->iterations = span.all;
	f->sample_every = span.every;
	return span.count;
}

static uint64_t once(const struct exchange *e, const struct options *o, uint64_t mode, struct flow *f,
		     struct sample *samples)
{
	loop *const run = loops[mode][e->rank];

	if (f->warmup > 0)
		run(e, f->warmup, f->warmup, samples);
	*e->processor = (struct processor_time){ 0 };
	if (o->duration_s)
		return timed(e, run, o, f, samples);
	return o->verify ? verified(e, run, o, mode, f, samples) : run(e, f->iterations, f->sample_every, samples);
}

/* The clock of rank 0 decides for both ranks. */
static uint32_t agreed_factor(const struct options *o, uint32_t factor, uint64_t took_ns)
{
	uint32_t next = sweep_factor(o, factor, took_ns);

	MPI_Bcast(&next, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
	return next;
}

uint64_t exchange_size(const struct exchange *e, const struct options *o, uint64_t mode, struct flow *f,
		       struct sample *samples)
{
	uint32_t factor = 1, next = 1;
	uint64_t kept, before;

	watch_stage("measuring %" PRIu64 " bytes", f->size_bytes);
	for (; next > 0; factor = next) {
		f->iterations = next * f->asked;
		f->sample_every = sweep_message_every(f);
		before = now_ns();
		kept = once(e, o, mode, f, samples);
		next = o->least_time_s == 0 ? 0 : agreed_factor(o, factor, now_ns() - before);
	}
	return kept;
}
