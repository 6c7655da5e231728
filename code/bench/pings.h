/* Latency: the timed loop over messages there and back. */
#ifndef PINGS_H
#define PINGS_H

#include "run.h"

/* One round trip in `every` is kept as a sample. */
void pings_send(const struct run *run, uint64_t messages, uint64_t every);

/* The server's part of it. */
void pings_answer(const struct run *run, uint64_t messages);

#endif
