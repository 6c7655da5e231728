#include "run.h"

#include <inttypes.h>

#include "watch.h"

static void bench_client(const struct run *run)
{
	const struct options *o = run->options;

	if (o->verify && o->measure == THROUGHPUT)
		verified_stream(run);
	else if (o->verify)
		verified_pings(run);
	else if (o->measure == THROUGHPUT)
		stream_windows(run);
	else if (o->duration_s)
		pings_send_timed(run);
	else
		pings_send(run, run->flow->iterations, run->flow->sample_every);
}

static void bench_server(const struct run *run)
{
	const struct options *o = run->options;

	if (o->verify && o->measure == THROUGHPUT)
		verified_answer_stream(run);
	else if (o->verify)
		verified_answer_pings(run);
	else if (o->measure == THROUGHPUT)
		stream_answer_windows(run);
	else if (o->duration_s)
		pings_answer_timed(run);
	else
		pings_answer(run, run->flow->iterations);
}

static void client_warm_up(const struct run *run)
{
	const uint64_t messages = run->flow->warmup;

	if (run->options->measure == THROUGHPUT)
		stream_round(run, messages);
	else
		pings_send(run, messages, messages);
}

static void server_warm_up(const struct run *run)
{
	const uint64_t messages = run->flow->warmup;

	if (run->options->measure == THROUGHPUT)
		stream_answer_round(run, messages);
	else
		pings_answer(run, messages);
}

/* Discards all samples of the warm-up. */
static void warm_up(const struct run *run)
{
	if (run->options->role == CLIENT)
		client_warm_up(run);
	else
		server_warm_up(run);
	*run->result = (struct result){ .samples = run->result->samples, .shares = run->result->shares };
}

void bench_size(const struct run *run)
{
	const bool may_lose = run->options->measure == LATENCY && run->flow->arrival != ALL_ARRIVE;

	watch_stage("measuring %" PRIu64 " bytes%s", run->flow->size_bytes,
		    may_lose ? " (a lost ping ends the run: only --connection rc sends it again)" : "");
	if (run->flow->warmup > 0)
		warm_up(run);
	if (run->options->role == CLIENT)
		bench_client(run);
	else
		bench_server(run);
}
