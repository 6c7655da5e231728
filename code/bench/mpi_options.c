#include "mpi_options.h"

#include <inttypes.h>

#include "die.h"
#include "mpi_calls.h"

struct mpi_options mpi_options;

struct option_spec mpi_option_table[] = {
	{ "mode", OPTION_WORD, &mpi_options.mode, "ping-pong", true, "ping-pong|one-way",
	  "a sample is a message there and back, or one rank's own send or receive", 0, 0, NULL },
	{ "calls", OPTION_WORD, &mpi_options.calls, "blocking", true, "blocking|non-blocking",
	  "MPI_Send and MPI_Recv, or MPI_Isend, MPI_Irecv and MPI_Wait", 0, 0, NULL },
	{ "bytes-per-call", OPTION_NUMBER_OR_AUTO, &mpi_options.bytes_per_call, "auto", true, NULL,
	  "cut larger messages into pieces (auto: what the library can count)", 0, 0, NULL },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

void mpi_options_check(struct options *o)
{
	const uint64_t largest = calls_largest();

	if (mpi_options.bytes_per_call == AUTO)
		mpi_options.bytes_per_call = largest;
	if (mpi_options.bytes_per_call == 0 || mpi_options.bytes_per_call > largest)
		die_usage("--bytes-per-call %" PRIu64 ": between 1 and %" PRIu64 ", as far as this library counts",
			  mpi_options.bytes_per_call, largest);
	o->measure = mpi_options.mode == PING_PONG ? LATENCY : THROUGHPUT; /* a reply needs separate memory */
}
