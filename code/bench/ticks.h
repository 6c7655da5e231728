/* Time stamps of single messages: the time-stamp counter of the CPU where the kernel uses it as its clock, else the
 * clock. A stamp takes 3 instructions, clock_gettime 80, which is 0.4 % of the round trip of a READ on the exact
 * machine. */
#ifndef TICKS_H
#define TICKS_H

#include <stddef.h>

#include "result.h"

#define TICKS_CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

extern uint64_t (*ticks_now)(void);

/* Chooses the counter and returns its name, by the clock source that a file names: on a real system
 * TICKS_CLOCK_SOURCE. */
const char *ticks_choose(const char *clock_source);

/* Converts durations from ticks to ns, by how far the clock and the counter have advanced since ticks_choose. */
void ticks_to_ns(struct sample *samples, size_t count);

#endif
