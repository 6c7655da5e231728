/* The results of one size on the client. */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processor.h"

struct sample {
	uint64_t messages;
	uint64_t time_ns;
};

/* When a round ended: by the last completion at the client, and by the confirmation of the server; and the CPU time of
 * the client. `sent` has all messages, also those that --duration does not measure or that were lost; `confirmed` only
 * those that arrived. */
struct stops {
	struct sample sent, completed, confirmed;
	struct processor_time processor;
};

struct result {
	size_t count;
	struct sample *samples;                   /* windows, round trips or rounds; the caller allocates them */
	struct sample *completions;               /* with rounds: the time of the last completion of each round */
	struct sample sent, completed, confirmed; /* without rounds only */
	struct sample back; /* --both: what the server sent, by its completions or (TCP) their arrival */
	size_t share_count;
	struct sample *shares; /* what each queue pair sent, and when it had completed */
	uint64_t every;        /* --duration of latency: one round trip in so many is a sample */
	uint64_t pings_ns;     /* of all round trips, whether kept as samples or not */
	size_t trip_count;
	struct sample *trips;            /* with rounds: round trips of control messages, which carry no data */
	struct sample settled;           /* the last rounds that the stop rule compared, together */
	bool reached;                    /* those rounds agreed */
	struct processor_time processor; /* CPU time of this end, client or server, for the timed messages */
};

/* The CPU time of all timed messages of a size. */
struct cost {
	uint64_t size_bytes, messages;
	struct sample back;              /* --both: what the server sent */
	struct processor_time own, peer; /* of this end; of the other end, if the client has received it */
};

#endif
