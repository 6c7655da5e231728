/* The CPU time of this program, in all of its threads. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdint.h>

struct processor_time {
	uint64_t whole_ns;  /* by the clock of the scheduler */
	uint64_t kernel_ns; /* the part in the kernel, sampled by the timer tick: it can exceed the whole */
};

/* Since the program began. */
struct processor_time processor_now(void);

void processor_add(struct processor_time *sum, const struct processor_time *more);

/* Adds the time spent since then. */
void processor_add_since(struct processor_time *sum, const struct processor_time *then);

#endif
