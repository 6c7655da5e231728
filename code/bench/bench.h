/* The engine: drives any transport through one size. It holds the only timed loops. */
#ifndef BENCH_H
#define BENCH_H

#include "csv.h"
#include "transport.h"

/* What the client found out about one size. */
struct result {
	size_t count;
	struct sample *samples; /* windows, or round trips; room for iterations or windows of them */
	struct sample completed, confirmed;
};

/* Runs warm-up and measurement. Both ends call it with the same flow; only the client gets a result. */
void bench_size(const struct transport *t, struct link *l, const struct options *o, const struct flow *f,
		struct result *result);

#endif
