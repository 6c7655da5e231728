#include "csv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "die.h"
#include "least.h"

static bool begun;
static uint64_t rows;

static void note_option(const char *key, const char *value, bool shared, void *context)
{
	(void)shared;
	(void)context;
	printf("# %s=%s\n", key, value);
}

static void csv_begin(void)
{
	begun = true;
	printf("# lab-bench 1\n# program=%s\n", die_program());
	options_each(note_option, NULL);
}

void csv_note(const char *key, const char *format, ...)
{
	va_list arguments;

	if (!begun)
		return;
	printf("# %s=", key);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void csv_header(void)
{
	printf("size_bytes,sample,index,messages,bytes,time_ns\n");
}

static void flow_line(const struct flow *f)
{
	printf("# size_bytes=%" PRIu64 " iterations=%" PRIu64 " asked=%" PRIu64 " sample_every=%" PRIu64
	       " warmup=%" PRIu64 " depth=%" PRIu64 " post_list=%" PRIu64 " singles=%" PRIu64 " signal_every=%" PRIu64
	       " inline=%" PRIu64 " operations=%" PRIu64 "\n",
	       f->size_bytes, f->iterations, f->asked, f->sample_every, f->warmup, f->depth, f->post_list, f->singles,
	       f->signal_every, f->inline_bytes, f->operations);
}

static void row(uint64_t size_bytes, const char *sample, uint64_t index, struct sample value)
{
	printf("%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", size_bytes, sample, index,
	       value.messages, value.messages * size_bytes, value.time_ns);
	rows++;
}

void csv_rows(const struct flow *f, const char *sample, size_t count, const struct sample *values)
{
	for (size_t i = 0; i < count; i++)
		row(f->size_bytes, sample, i, values[i]);
}

static void csv_size(const struct options *o, const struct flow *f, const struct result *r)
{
	flow_line(f);
	if (o->until_stable) {
		csv_rows(f, "control_trip", r->trip_count, r->trips);
		csv_rows(f, "round_completed", r->count, r->completions);
		csv_rows(f, "round", r->count, r->samples);
		row(f->size_bytes, r->reached ? "settled" : "unsettled", 0, r->settled);
	} else if (o->measure == LATENCY) {
		csv_rows(f, "round_trip", r->count, r->samples);
	} else {
		csv_rows(f, "window", r->count, r->samples);
		if (f->arrival != ALL_ARRIVE)
			row(f->size_bytes, "sent", 0, r->sent);
		row(f->size_bytes, "completed", 0, r->completed);
		if (f->arrival != IS_NOT_SEEN)
			row(f->size_bytes, "confirmed", 0, r->confirmed);
		csv_rows(f, "share", r->share_count, r->shares);
	}
	output_flush();
}

/* Only the sum is bounded by the whole: the kernel counts in ticks, and most of many short times would be lost. */
static void cost_rows(const struct cost *c, const char *whole, const char *kernel, const struct processor_time *p)
{
	row(c->size_bytes, whole, 0, (struct sample){ c->messages, p->whole_ns });
	row(c->size_bytes, kernel, 0, (struct sample){ c->messages, least(p->kernel_ns, p->whole_ns) });
}

static void csv_costs(const struct cost *costs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (costs[i].back.messages > 0)
			row(costs[i].size_bytes, "back", 0, costs[i].back);
		cost_rows(&costs[i], "client_processor", "client_kernel", &costs[i].own);
		cost_rows(&costs[i], "server_processor", "server_kernel", &costs[i].peer);
	}
	output_flush();
}

/* The last line; a CSV without it is incomplete. */
static void csv_end(void)
{
	printf("# end rows=%" PRIu64 "\n", rows);
	output_flush();
}

const struct output csv_output = {
	.begin = csv_begin,
	.header = csv_header,
	.size = csv_size,
	.costs = csv_costs,
	.end = csv_end,
};
