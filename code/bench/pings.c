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
	struct sample *sample = result->samples;
	uint64_t before, after, start_ns, unkept = 1; /* pings until one is kept, the first of each `every` */
	struct processor_time processor;

	t->begin(l, messages);
	t->await(l);
	sched_yield();
	processor = processor_now();
	start_ns = now_ns();
	before = ticks_now();
	for (; messages > 0; messages--) {
		t->ping(l);
		after = ticks_now();
		if (--unkept == 0) {
			*sample++ = (struct sample){ 1, after - before };
			unkept = every;
		}
		watch_advance();
		before = after;
	}
	result->pings_ns = now_ns() - start_ns;
	processor_add_since(&result->processor, &processor);
	result->count = (size_t)(sample - result->samples);
	t->finish(l);
	t->await(l);
	ticks_to_ns(result->samples, result->count);
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
