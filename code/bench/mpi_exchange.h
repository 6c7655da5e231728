/* The timed loops of two ranks: messages there and back, or one way with each rank's own durations. */
#ifndef MPI_EXCHANGE_H
#define MPI_EXCHANGE_H

#include "mpi_calls.h"
#include "options.h"
#include "result.h"
#include "transport.h"

struct exchange {
	const struct calls *calls;
	struct message message;
	int rank;                         /* 0 or 1 */
	struct processor_time *processor; /* of this rank, for the timed messages of a size */
};

/* This rank's part of one size, warm-up first, and again with more iterations until rank 0 finds that it lasted long
 * enough: the flow says with how many. Samples has room for every message that is asked for, up to SAMPLES_MAX, and is
 * filled where this rank takes the time: on rank 0, and, one way, on both. How many there are. */
uint64_t exchange_size(const struct exchange *exchange, const struct options *options, uint64_t mode, struct flow *flow,
		       struct sample *samples);

#endif
