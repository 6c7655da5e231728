/* One size on one link: what each step of its measurement needs, and the timed loops. */
#ifndef RUN_H
#define RUN_H

#include "result.h"
#include "transport.h"

struct run {
	const struct transport *transport;
	struct link *link;
	const struct options *options;
	const struct flow *flow;
	struct result *result; /* the client's findings; for the server room for as many samples */
};

/* Runs warm-up and measurement. Both ends call it with the same flow; only the client gets a result. */
void bench_size(const struct run *run);

/* One round of throughput, from "ready" to the last completion and to the control message that says that all has come.
 * What it takes of the server's processor is added to its result. */
struct stops stream_round(const struct run *run, uint64_t messages);
void stream_answer_round(const struct run *run, uint64_t messages);

/* All messages of the size in one round, with a sample for each window of it. */
void stream_windows(const struct run *run);
void stream_answer_windows(const struct run *run);

/* One round trip in `every` is kept as a sample. */
void pings_send(const struct run *run, uint64_t messages, uint64_t every);

/* The server's part of it. */
void pings_answer(const struct run *run, uint64_t messages);

/* In rounds whose messages fit side by side into the buffer: each is a sample. */
void verified_stream(const struct run *run);
void verified_answer_stream(const struct run *run);

/* In rounds of one message there and back. */
void verified_pings(const struct run *run);
void verified_answer_pings(const struct run *run);

#endif
