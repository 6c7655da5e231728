#include "mpi_exchange.h"

#include <inttypes.h>

#include "die.h"
#include "mpi_options.h"
#include "pattern.h"
#include "ticks.h"
#include "watch.h"

typedef void loop(const struct exchange *, uint64_t messages, struct sample *samples);

static void pings(const struct exchange *e, uint64_t messages, struct sample *samples)
{
	uint64_t before, after;

	MPI_Barrier(MPI_COMM_WORLD);
	before = ticks_now();
	for (uint64_t i = 0; i < messages; i++) {
		e->calls->ping(&e->message);
		after = ticks_now();
		samples[i] = (struct sample){ 1, after - before };
		watch_advance();
		before = after;
	}
	ticks_to_ns(samples, messages);
}

static void pongs(const struct exchange *e, uint64_t messages, struct sample *samples)
{
	(void)samples;
	MPI_Barrier(MPI_COMM_WORLD);
	for (uint64_t i = 0; i < messages; i++) {
		e->calls->pong(&e->message);
		watch_advance();
	}
}

/* Both ranks begin every message together: no send finds the receiver busy with the one before. Nor does a rank go on
 * to other work while its peer still measures, which on one processor would take the time from it. */
static void one_way(void (*call)(const struct message *), const struct message *message, uint64_t messages,
		    struct sample *samples)
{
	uint64_t before;

	for (uint64_t i = 0; i < messages; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		before = ticks_now();
		call(message);
		samples[i] = (struct sample){ 1, ticks_now() - before };
		watch_advance();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	ticks_to_ns(samples, messages);
}

static void sends(const struct exchange *e, uint64_t messages, struct sample *samples)
{
	one_way(e->calls->send, &e->message, messages, samples);
}

static void receives(const struct exchange *e, uint64_t messages, struct sample *samples)
{
	one_way(e->calls->receive, &e->message, messages, samples);
}

static loop *const loops[][2] = {
	[PING_PONG] = { pings, pongs },
	[ONE_WAY] = { sends, receives },
};

static void check(const struct exchange *e, uint64_t seed, uint64_t message)
{
	uint64_t at = pattern_check(e->message.in, e->message.bytes, seed, message);

	if (at != PATTERN_GOOD)
		die("verify: %" PRIu64 " bytes, message %" PRIu64 ": byte %" PRIu64 " is wrong where it landed",
		    e->message.bytes, message, at);
}

/* The same loop, a message at a time: what goes there and what comes back have different patterns. */
static void verified(const struct exchange *e, loop *run, const struct options *o, uint64_t mode, uint64_t messages,
		     struct sample *samples)
{
	const bool sends_too = e->rank == 0 || mode == PING_PONG, receives_too = e->rank == 1 || mode == PING_PONG;

	for (uint64_t i = 0; i < messages; i++) {
		if (sends_too)
			pattern_fill(e->message.out, e->message.bytes, o->seed + (uint64_t)e->rank, i);
		run(e, 1, &samples[i]);
		if (receives_too)
			check(e, o->seed + (uint64_t)(1 - e->rank), i);
	}
}

void exchange_size(const struct exchange *e, const struct options *o, uint64_t mode, const struct size_plan *plan,
		   struct sample *samples)
{
	loop *const run = loops[mode][e->rank];

	watch_stage("measuring %" PRIu64 " bytes", plan->size_bytes);
	if (plan->warmup > 0)
		run(e, plan->warmup, samples);
	if (o->verify)
		verified(e, run, o, mode, plan->iterations, samples);
	else
		run(e, plan->iterations, samples);
}
