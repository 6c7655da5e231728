/* Stamps of single messages: the processor's counter where the kernel itself keeps time by it, else the clock. A stamp
 * takes 3 instructions, clock_gettime 80, which is 0.4 % of a READ's round trip on the exact machine. */
#ifndef TICKS_H
#define TICKS_H

#include <stddef.h>

#include "result.h"

#define TICKS_CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

extern uint64_t (*ticks_now)(void);

/* Chooses the counter and says which one it is, by the clock source that the kernel names in a file: on a real one in
 * TICKS_CLOCK_SOURCE. */
const char *ticks_choose(const char *clock_source);

/* Turns durations in ticks into ns, by how far the clock and the counter came since ticks_choose. */
void ticks_to_ns(struct sample *samples, size_t count);

#endif
