#include "output.h"

#include <inttypes.h>
#include <stdio.h>

#include "die.h"

static void columns_nothing(void)
{
}

static void columns_no_costs(const struct cost *costs, size_t count)
{
	(void)costs;
	(void)count;
}

static double megabits_per_second(uint64_t size_bytes, struct sample sample)
{
	return (double)(sample.messages * size_bytes) * 8 * 1e3 / (double)sample.time_ns;
}

static void columns_size(const struct options *o, const struct flow *f, const struct result *r)
{
	const struct sample shown = o->until_stable ? r->settled : r->confirmed;

	printf("%" PRIu64 "  %.6f  Mbps\n", f->size_bytes, megabits_per_second(f->size_bytes, shown));
	output_flush();
	if (o->until_stable && !r->reached)
		say("%" PRIu64 " bytes: not stable within %" PRIu64 " rounds", f->size_bytes, o->rounds_cap);
}

const struct output columns_output = {
	.begin = columns_nothing,
	.header = columns_nothing,
	.size = columns_size,
	.costs = columns_no_costs,
	.end = columns_nothing,
};
