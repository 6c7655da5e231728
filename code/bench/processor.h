/* The time that processors have given to this program, in all of its threads. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdint.h>

struct processor_time {
	uint64_t whole_ns;  /* by the scheduler's clock */
	uint64_t kernel_ns; /* the part of it in the kernel, by what the kernel's tick happened to find: one tick stands
			       for more than may have passed, so that this can be more than the whole */
};

/* Since the program began. */
struct processor_time processor_now(void);

void processor_add(struct processor_time *sum, const struct processor_time *more);

/* Adds what has been spent since then. */
void processor_add_since(struct processor_time *sum, const struct processor_time *then);

#endif
