#include "stable.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* (max - min) / median. */
static double spread(const double *values, uint64_t n)
{
	double sorted[STABLE_WINDOW_MAX], median;

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), ascending);
	median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	return (sorted[n - 1] - sorted[0]) / median;
}

enum stable_state stable_decide(const struct stable_rule *rule, const double *values, uint64_t n)
{
	if (n >= rule->window && spread(values + n - rule->window, rule->window) <= rule->target)
		return STABLE_REACHED;
	return n >= rule->cap ? STABLE_NOT_REACHED : STABLE_GO_ON;
}
