/* What the client found out about one size. */
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

/* When a round was over: for the client, and by the server's answer; and what it took of the client's processor. */
struct stops {
	struct sample completed, confirmed;
	struct processor_time processor;
};

struct result {
	size_t count;
	struct sample *samples;     /* windows, round trips, or rounds; the caller makes room for all of them */
	struct sample *completions; /* of each round: when the client had its last completion; only with rounds */
	struct sample completed, confirmed; /* only without rounds */
	uint64_t pings_ns;                  /* of all round trips, also those that are no samples */
	size_t trip_count;
	struct sample *trips;            /* of control messages, which carry none of the bytes; only before rounds */
	struct sample settled;           /* the rounds that the rule looked at last, together */
	bool reached;                    /* they agreed */
	struct processor_time processor; /* of this end, client or server, for the timed messages */
};

/* What all timed messages of a size took of the processors. */
struct cost {
	uint64_t size_bytes, messages;
	struct processor_time own, peer; /* of this end; of the other one, where the client has heard of it */
};

#endif
