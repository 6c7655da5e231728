/* The engine: drives any transport through one size. It holds the timed loops over messages. */
#ifndef BENCH_H
#define BENCH_H

#include "run.h"

/* Runs warm-up and measurement. Both ends call it with the same flow; only the client gets a result. */
void bench_size(const struct run *run);

/* One round of throughput, from "ready" to the last completion and to the control message that says that all has come.
 */
struct stops bench_round(const struct run *run, uint64_t messages);

/* The server's part of it. */
void bench_answer_round(const struct run *run, uint64_t messages);

#endif
