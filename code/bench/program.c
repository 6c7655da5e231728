#include "program.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "die.h"
#include "output.h"
#include "rules.h"
#include "session.h"
#include "sweep.h"
#include "ticks.h"
#include "watch.h"

static void pin(uint64_t core)
{
	cpu_set_t set;

	if (core == AUTO)
		return;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (core >= CPU_SETSIZE || sched_setaffinity(0, sizeof(set), &set))
		die("--core %" PRIu64 ": %s; `nproc` prints the number of CPUs", core, strerror(errno));
}

/* Two ends that spin on one CPU take turns at the scheduler tick, and then the tick is what they measure. */
static void note_processors(const struct options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	csv_note("processors", "%ld", processors);
	csv_note("may_spin_together", "%s", processors == 1 && o->wait == WAIT_POLL ? "yes" : "no");
}

/* The output that --format selects. */
static const struct output *output_of(const struct options *o)
{
	return o->format == FORMAT_COLUMNS ? &columns_output : &csv_output;
}

static struct session open_session(const struct options *o, const struct transport *t)
{
	return o->role == SERVER ? session_serve(o, t->tune) : session_join(o, t->tune);
}

static void measure(const struct options *o, const struct transport *t, struct link *link, const struct output *output,
		    int peer)
{
	struct cost *costs = calloc(o->sizes.count, sizeof(*costs));

	if (!costs)
		die("no memory for the CPU times");
	sweep_run(o, t, link, output, costs);
	if (t->drain)
		t->drain(link);
	session_end(o, peer, costs);
	if (o->role == CLIENT)
		output->costs(costs, o->sizes.count);
	free(costs);
}

int program_run(int argc, char **argv, enum role role, const struct transport *t)
{
	const struct output *output;
	struct options *o;
	struct session session;
	struct link *link;

	die_name(argv[0]);
	output_guard();
	o = options_parse(argc, argv, role, t->options);
	rules_check(o);
	pin(o->core);
	output = output_of(o);
	session = open_session(o, t);
	watch_deadline(o->deadline_s);
	if (role == CLIENT)
		output->begin();
	link = t->open(o, &session);
	if (session.listener >= 0)
		watch_listener(session.listener);
	if (role == CLIENT) {
		note_processors(o);
		csv_note("round_trips_stamped_by", "%s", ticks_choose(TICKS_CLOCK_SOURCE));
		output->header();
		output_flush();
	}
	measure(o, t, link, output, session.peer);
	t->close(link);
	if (role == CLIENT)
		output->end();
	return 0;
}
