/* Two ranks of one MPI job; rank 0 collects the samples of both and prints them. */
#include <mpi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "csv.h"
#include "die.h"
#include "mpi_exchange.h"
#include "mpi_options.h"
#include "rules.h"
#include "sweep.h"
#include "ticks.h"
#include "watch.h"

#define OPTIONS_TEXT_MAX 4096
#define LAUNCHER_US                                                                                                    \
	2000 /* time for the launcher to pass on the output; on one CPU it would take that from the next size */

static int rank_of_two(void)
{
	int rank, ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (ranks != 2)
		die("there must be 2 ranks, not %d: mpirun -np 2 %s, or srun -n 2 %s", ranks, die_program(),
		    die_program());
	return rank;
}

static void ranks_add_option(const char *key, const char *value, bool shared, void *text)
{
	size_t length = strlen(text);

	if (shared)
		snprintf((char *)text + length, OPTIONS_TEXT_MAX - length, "%s=%s ", key, value);
}

/* A launcher can give each rank different options. */
static void compare_options(int rank)
{
	char own[OPTIONS_TEXT_MAX] = "", other[OPTIONS_TEXT_MAX] = "";

	options_each(ranks_add_option, own);
	MPI_Sendrecv(own, sizeof(own), MPI_CHAR, 1 - rank, 0, other, sizeof(other), MPI_CHAR, 1 - rank, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (strcmp(own, other) != 0)
		die("the ranks have different options: rank %d %s; the other %s", rank, own, other);
}

static void note_world(void)
{
	char hosts[2][MPI_MAX_PROCESSOR_NAME] = { 0 }, own[MPI_MAX_PROCESSOR_NAME] = { 0 };
	char library[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	MPI_Get_processor_name(own, &length);
	MPI_Gather(own, sizeof(own), MPI_CHAR, hosts, sizeof(own), MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Get_library_version(library, &length);
	csv_note("library", "%.*s", (int)strcspn(library, ",\n"), library);
	csv_note("ranks_on", "%s %s", hosts[0], hosts[1]);
	csv_note("stamped_by", "%s", ticks_choose(TICKS_CLOCK_SOURCE));
}

static void *room(size_t count, size_t each)
{
	void *found = calloc(count, each);

	if (!found)
		die("no memory for %zu times %zu bytes", count, each);
	return found;
}

static struct sample *room_for_samples(const struct options *o)
{
	uint64_t most = o->duration_s ? SAMPLES_MAX : 1;

	for (size_t i = 0; i < o->sizes.count; i++)
		if (o->sizes.plans[i].iterations > most)
			most = o->sizes.plans[i].iterations;
	return room(most < SAMPLES_MAX ? most : SAMPLES_MAX, sizeof(struct sample));
}

static struct message message_new(const struct options *o, const struct buffer *buffer, int peer)
{
	struct message m = { .out = buffer_outgoing(buffer, 1, 0),
			     .in = buffer_incoming(buffer, 1, 0),
			     .bytes = size_list_largest(&o->sizes),
			     .piece = mpi_options.bytes_per_call,
			     .peer = peer };

	m.outgoing = room(calls_per_message(&m), sizeof(MPI_Request));
	m.incoming = room(calls_per_message(&m), sizeof(MPI_Request));
	return m;
}

static void move_samples(int rank, uint64_t count, struct sample *samples)
{
	const int numbers = (int)(2 * count);

	if (rank == 1)
		MPI_Send(samples, numbers, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(samples, numbers, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Only rank 0 has the costs of both ranks, and prints them. */
static void print_cost(const struct exchange *e, const struct flow *f)
{
	struct cost cost = { .size_bytes = f->size_bytes, .messages = f->iterations, .own = *e->processor };
	const int numbers = sizeof(cost.own) / sizeof(uint64_t);

	if (e->rank == 1)
		MPI_Send(&cost.own, numbers, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&cost.peer, numbers, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (e->rank == 0)
		csv_output.costs(&cost, 1);
}

static void print_size(const struct exchange *e, const struct flow *f, uint64_t count, struct sample *samples)
{
	const bool one_way = mpi_options.mode == ONE_WAY;

	if (e->rank == 0) {
		csv_note("size_bytes",
			 "%" PRIu64 " iterations=%" PRIu64 " asked=%" PRIu64 " sample_every=%" PRIu64 " warmup=%" PRIu64
			 " operations=%" PRIu64,
			 f->size_bytes, f->iterations, f->asked, f->sample_every, f->warmup,
			 calls_per_message(&e->message));
		csv_rows(f, one_way ? "send" : "round_trip", count, samples);
	}
	if (one_way)
		move_samples(e->rank, count, samples);
	if (e->rank == 0 && one_way)
		csv_rows(f, "receive", count, samples);
	print_cost(e, f);
	output_flush();
	usleep(LAUNCHER_US);
}

static void sweep(const struct options *o, int rank)
{
	struct buffer buffer = buffer_new(o);
	struct processor_time processor;
	struct exchange e = { .calls = mpi_options.calls == BLOCKING ? &calls_blocking : &calls_non_blocking,
			      .message = message_new(o, &buffer, 1 - rank),
			      .rank = rank,
			      .processor = &processor };
	struct sample *samples = room_for_samples(o);
	const struct size_plan *plan;
	struct flow f;
	uint64_t count;

	for (size_t i = 0; i < o->sizes.count; i++) {
		plan = &o->sizes.plans[i];
		f = (struct flow){ .size_bytes = plan->size_bytes, .asked = plan->iterations, .warmup = plan->warmup };
		e.message.bytes = plan->size_bytes;
		count = exchange_size(&e, o, mpi_options.mode, &f, samples);
		print_size(&e, &f, count, samples);
	}
	free(samples);
	free(e.message.outgoing);
	free(e.message.incoming);
	buffer_free(&buffer);
}

/* A rank that ends by an error ends the other too: not every launcher does. */
static void abort_ranks(void)
{
	int finalized;

	MPI_Finalized(&finalized);
	if (!finalized)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	struct options *o;
	int rank;

	die_name(argv[0]);
	output_guard();
	o = options_parse(argc, argv, RANK, mpi_option_table);
	rules_check(o);
	mpi_options_check(o);
	watch_stage("waiting for the other rank");
	watch_deadline(o->deadline_s);
	MPI_Init(&argc, &argv);
	atexit(abort_ranks);
	rank = rank_of_two();
	compare_options(rank);
	if (rank == 0)
		csv_output.begin();
	note_world();
	if (rank == 0)
		csv_output.header();
	sweep(o, rank);
	watch_stage("parting");
	MPI_Finalize();
	if (rank == 0)
		csv_output.end();
	return 0;
}
