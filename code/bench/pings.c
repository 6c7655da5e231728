#include "run.h"

#include <sched.h>
#include <string.h>

#include "clock.h"
#include "least.h"
#include "span.h"
#include "ticks.h"

#define STAMPS_MAX 1024

/* Keeps every `every`-th round trip as a sample; `done` round trips came before these. */
static void keep(struct result *result, const uint64_t *stamps, uint64_t count, uint64_t done, uint64_t every)
{
	for (uint64_t i = (every - done % every) % every; i < count; i += every)
		result->samples[result->count++] = (struct sample){ 1, stamps[i + 1] - stamps[i] };
}

/* Adds samples. They are computed between runs of pings: the loop only stamps, so nothing else takes time in it. */
static void send_round(const struct run *run, uint64_t messages, uint64_t every)
{
	static uint64_t stamps[STAMPS_MAX + 1];
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct result *result = run->result;
	struct processor_time processor;
	const size_t before = result->count;
	uint64_t count, start_ns;

	memset(stamps, 0, sizeof(stamps)); /* its pages are mapped before a stamp is written */
	t->begin(l, messages);
	t->await(l);
	sched_yield();
	processor = processor_now();
	start_ns = now_ns();
	for (uint64_t done = 0; done < messages; done += count) {
		count = least(messages - done, STAMPS_MAX);
		stamps[0] = ticks_now();
		t->pings(l, count, stamps + 1);
		keep(result, stamps, count, done, every);
	}
	result->pings_ns = now_ns() - start_ns;
	processor_add_since(&result->processor, &processor);
	t->finish(l);
	t->await(l);
	ticks_to_ns(result->samples + before, result->count - before);
}

void pings_send(const struct run *run, uint64_t messages, uint64_t every)
{
	run->result->count = 0;
	send_round(run, messages, every);
}

void pings_answer(const struct run *run, uint64_t messages)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct processor_time before;

	t->begin(l, messages);
	before = processor_now();
	t->signal(l, CONTROL_GO);
	t->pongs(l, messages);
	t->arrive(l, NULL);
	processor_add_since(&run->result->processor, &before);
	t->signal(l, CONTROL_GO);
}

void pings_send_timed(const struct run *run)
{
	struct result *result = run->result;
	struct span span = span_new(run->options->duration_s);

	while (span.messages > 0) {
		send_round(run, span.messages, 1);
		span_keep(&span, result->samples);
		span_next(&span);
		result->count = span.count;
		run->transport->order(run->link, (uint32_t)span.messages);
	}
	result->sent.messages = span.all;
	result->every = span.every;
}

void pings_answer_timed(const struct run *run)
{
	uint64_t messages = 1;

	do
		pings_answer(run, messages);
	while ((messages = run->transport->ordered(run->link)) > 0);
}
