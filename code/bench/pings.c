#include "pings.h"

#include <sched.h>

#include "clock.h"
#include "ticks.h"
#include "watch.h"

void pings_send(const struct run *run, uint64_t messages, uint64_t every)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct result *result = run->result;
	uint64_t kept = 0, before, after, start_ns;
	struct processor_time processor;

	t->begin(l, messages);
	t->await(l);
	sched_yield();
	processor = processor_now();
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
	processor_add_since(&result->processor, &processor);
	result->count = kept;
	t->finish(l);
	t->await(l);
	ticks_to_ns(result->samples, kept);
}

void pings_answer(const struct run *run, uint64_t messages)
{
	const struct transport *t = run->transport;
	struct link *l = run->link;
	struct processor_time before;

	t->begin(l, messages);
	before = processor_now();
	t->signal(l, CONTROL_GO);
	for (uint64_t i = 0; i < messages; i++) {
		t->pong(l);
		watch_advance();
	}
	t->arrive(l, NULL);
	processor_add_since(&run->result->processor, &before);
	t->signal(l, CONTROL_GO);
}
