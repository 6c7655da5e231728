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

/* This rank's part of one size: warm-up, then the timed messages, again with more iterations until rank 0 finds that
 * they took long enough. The flow returns how many iterations that were. Samples has room for one per message, at most
 * SAMPLES_MAX, and is filled on the ranks that take times: rank 0, and with one-way both. Returns the number of
 * samples. */
uint64_t exchange_size(const struct exchange *exchange, const struct options *options, uint64_t mode, struct flow *flow,
		       struct sample *samples);

#endif
