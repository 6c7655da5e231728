/* The engine: drives any transport through one size, by the measure that is asked for. */
#ifndef BENCH_H
#define BENCH_H

#include "run.h"

/* Runs warm-up and measurement. Both ends call it with the same flow; only the client gets a result. */
void bench_size(const struct run *run);

#endif
