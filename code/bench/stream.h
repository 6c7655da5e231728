/* Throughput: the timed loop over messages that follow each other. The client calls each function, the server the
 * answering one that stands below it, with the same flow. */
#ifndef STREAM_H
#define STREAM_H

#include "run.h"

/* One round of throughput, from "ready" to the last completion and to the control message that says that all has come.
 * What it takes of the server's processor is added to its result. */
struct stops stream_round(const struct run *run, uint64_t messages);
void stream_answer_round(const struct run *run, uint64_t messages);

/* All messages of the size in one round, with a sample for each window of it. */
void stream_windows(const struct run *run);
void stream_answer_windows(const struct run *run);

#endif
