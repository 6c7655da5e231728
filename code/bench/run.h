/* One size on one link: the parameters of its measurement, and the timed loops. */
#ifndef RUN_H
#define RUN_H

#include "result.h"
#include "transport.h"

struct run {
	const struct transport *transport;
	struct link *link;
	const struct options *options;
	const struct flow *flow;
	struct result *result; /* on the server: room for as many samples */
};

/* Runs warm-up and measurement. Both ends call it with the same flow; only the client gets a result. */
void bench_size(const struct run *run);

/* One round of throughput, from "ready" to the last completion and to the confirmation that all messages arrived; with
 * --both, those of the server too. The server calls the second function; it adds the CPU time to its result. */
struct stops stream_round(const struct run *run, uint64_t messages);
void stream_answer_round(const struct run *run, uint64_t messages);

/* All messages of the size in one round, with a sample for each window. */
void stream_windows(const struct run *run);
void stream_answer_windows(const struct run *run);

/* Keeps one round trip in `every` as a sample. */
void pings_send(const struct run *run, uint64_t messages, uint64_t every);

/* The part of the server. */
void pings_answer(const struct run *run, uint64_t messages);

/* --duration: rounds of round trips, of which those in the middle half of the time are samples. */
void pings_send_timed(const struct run *run);
void pings_answer_timed(const struct run *run);

/* --verify of throughput: in rounds whose messages fit side by side into the buffer. Each round is a sample, and every
 * byte is filled in before and checked after it. */
void verified_stream(const struct run *run);
void verified_answer_stream(const struct run *run);

/* --verify of latency: in rounds of one message there and back. */
void verified_pings(const struct run *run);
void verified_answer_pings(const struct run *run);

#endif
