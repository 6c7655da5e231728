/* --until-stable: one size in rounds that are repeated until they agree, or up to a limit. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "run.h"

#define ROUNDS_TRIPS 20 /* round trips timed before a size: an interval by ranks needs at least six */

/* Round trips, warm-up, rounds. Both ends call it with the same flow; only the client gets a result. */
void rounds_size(const struct run *run);

#endif
