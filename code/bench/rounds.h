/* --until-stable: one size in rounds that are repeated until they agree, or until there are enough of them. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "run.h"

#define ROUNDS_TRIPS 20 /* round trips timed before a size: an interval by ranks needs six */

/* Round trips, warm-up, rounds. Both ends call it with the same flow; only the client gets a result. */
void rounds_size(const struct run *run);

#endif
