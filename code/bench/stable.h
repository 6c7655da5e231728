/* The stop rule of rounds: the largest and the smallest of the last `window` values differ by at most `target` times
 * their median. lab/analysis/stopping.py has the same rule, and checks every record again. */
#ifndef STABLE_H
#define STABLE_H

#include <stdint.h>

#define STABLE_WINDOW_MAX 1000

enum stable_state { STABLE_GO_ON, STABLE_REACHED, STABLE_NOT_REACHED };

struct stable_rule {
	double target;   /* a fraction */
	uint64_t window; /* 1 to STABLE_WINDOW_MAX */
	uint64_t cap;    /* the number of values after which the state is "not reached" */
};

/* Decides after n values, all above 0. */
enum stable_state stable_decide(const struct stable_rule *rule, const double *values, uint64_t n);

#endif
