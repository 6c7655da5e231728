#include "rules.h"

#include <inttypes.h>

#include "die.h"
#include "stable.h"
#include "sweep.h"

#define SAMPLES_MIN 20               /* fewer give no interval worth printing */
#define ITERATIONS_MAX 1000000000000 /* a day of the quickest link; with 10^6 windows their product fits 64 bits */
#define DEADLINE_MAX_S 86400
#define LEAST_TIME_MAX_S 3600
#define ROUNDS_MAX 100000
#define PORT 18600
#define PORT_COLUMNS 6666 /* of the exercise whose output --format columns is */

static void read_sizes(struct options *o)
{
	const struct size_plan fallback = { 0, o->iterations, o->warmup };
	char error[256];

	if (!size_list_parse(o->sizes_text, &fallback, &o->sizes, error))
		die_usage("--sizes: %s", error);
}

static void check_counts(const struct options *o)
{
	const struct size_plan *plan;
	uint64_t most;

	for (size_t i = 0; i < o->sizes.count; i++) {
		plan = &o->sizes.plans[i];
		most = (uint64_t)INT64_MAX / plan->size_bytes;
		most = most < ITERATIONS_MAX ? most : ITERATIONS_MAX;
		if (plan->iterations > most || plan->warmup > most)
			die_usage("%" PRIu64 " bytes: at most %" PRIu64 " iterations and as many to warm up",
				  plan->size_bytes, most);
	}
}

static void check_least_time(const struct options *o)
{
	if (o->least_time_s > LEAST_TIME_MAX_S)
		die_usage("--least-time %" PRIu64 ": at most %d seconds", o->least_time_s, LEAST_TIME_MAX_S);
	if (o->least_time_s > 0 && (o->verify || o->until_stable))
		die_usage("--least-time: not with --verify or --until-stable, which say themselves how often");
}

static void check_windows(const struct options *o)
{
	const struct size_list *sizes = &o->sizes;

	if (o->measure != THROUGHPUT || o->verify || o->until_stable)
		return;
	if (o->windows < SAMPLES_MIN || o->windows > SAMPLES_MAX)
		die_usage("--windows %" PRIu64 ": a size needs at least %d samples, and at most %d", o->windows,
			  SAMPLES_MIN, SAMPLES_MAX);
	for (size_t i = 0; i < sizes->count; i++)
		if (sizes->plans[i].iterations < o->windows)
			die_usage("%" PRIu64 " bytes: %" PRIu64 " iterations can't fill %" PRIu64 " windows",
				  sizes->plans[i].size_bytes, sizes->plans[i].iterations, o->windows);
}

static void check_rounds(const struct options *o)
{
	if (o->until_stable == 0)
		return;
	if (o->until_stable > 100)
		die_usage("--until-stable %" PRIu64 ": between 1 and 100 percent", o->until_stable);
	if (o->measure != THROUGHPUT || o->verify)
		die_usage("--until-stable: it is for --measure throughput without --verify");
	if (o->stable_window < 2 || o->stable_window > STABLE_WINDOW_MAX)
		die_usage("--stable-window %" PRIu64 ": between 2 and %d rounds", o->stable_window, STABLE_WINDOW_MAX);
	if (o->rounds_cap < o->stable_window || o->rounds_cap > ROUNDS_MAX)
		die_usage("--rounds-cap %" PRIu64 ": between --stable-window (%" PRIu64 ") and %d", o->rounds_cap,
			  o->stable_window, ROUNDS_MAX);
}

static void check_format(const struct options *o)
{
	if (o->format == FORMAT_COLUMNS && o->measure != THROUGHPUT)
		die_usage("--format columns: it has no column for --measure latency");
}

static void check_pair(struct options *o)
{
	if (o->port == AUTO)
		o->port = o->format == FORMAT_COLUMNS ? PORT_COLUMNS : PORT;
	if (o->port == 0 || o->port > UINT16_MAX)
		die_usage("--port %" PRIu64 ": a TCP port lies between 1 and 65535", o->port);
	check_windows(o);
	check_rounds(o);
	check_format(o);
}

void rules_check(struct options *o)
{
	if (o->iterations == 0)
		die_usage("--iterations 0: at least one message is needed");
	if (o->deadline_s == 0 || o->deadline_s > DEADLINE_MAX_S)
		die_usage("--deadline %" PRIu64 ": between 1 and %d seconds", o->deadline_s, DEADLINE_MAX_S);
	read_sizes(o);
	check_counts(o);
	check_least_time(o);
	if (o->role != RANK)
		check_pair(o);
}
