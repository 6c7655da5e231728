#include "rules.h"

#include <inttypes.h>

#include "die.h"

#define SAMPLES_MIN 20 /* fewer give no interval worth printing */
#define DEADLINE_MAX_S 86400

static void read_sizes(struct options *o)
{
	const struct size_plan fallback = { 0, o->iterations, o->warmup };
	char error[256];

	if (!size_list_parse(o->sizes_text, &fallback, &o->sizes, error))
		die_usage("--sizes: %s", error);
}

static void check_windows(const struct options *o)
{
	const struct size_list *sizes = &o->sizes;

	if (o->measure != THROUGHPUT || o->verify)
		return;
	if (o->windows < SAMPLES_MIN)
		die_usage("--windows %" PRIu64 ": a size needs at least %d samples", o->windows, SAMPLES_MIN);
	for (size_t i = 0; i < sizes->count; i++)
		if (sizes->plans[i].iterations < o->windows)
			die_usage("%" PRIu64 " bytes: %" PRIu64 " iterations can't fill %" PRIu64 " windows",
				  sizes->plans[i].size_bytes, sizes->plans[i].iterations, o->windows);
}

void rules_check(struct options *o)
{
	if (o->iterations == 0)
		die_usage("--iterations 0: at least one message is needed");
	if (o->port == 0 || o->port > UINT16_MAX)
		die_usage("--port %" PRIu64 ": a TCP port lies between 1 and 65535", o->port);
	if (o->deadline_s == 0 || o->deadline_s > DEADLINE_MAX_S)
		die_usage("--deadline %" PRIu64 ": between 1 and %d seconds", o->deadline_s, DEADLINE_MAX_S);
	read_sizes(o);
	check_windows(o);
}
