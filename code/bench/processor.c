#include "processor.h"

#include <sys/resource.h>

#include "clock.h"

static uint64_t whole_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t kernel_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_stime.tv_sec * NS_PER_S + (uint64_t)usage.ru_stime.tv_usec * NS_PER_US;
}

/* Reads the whole time last, and processor_add_since() reads it first: reading takes time that is not part of the
 * measurement. */
struct processor_time processor_now(void)
{
	struct processor_time now = { .kernel_ns = kernel_ns() };

	now.whole_ns = whole_ns();
	return now;
}

void processor_add(struct processor_time *sum, const struct processor_time *more)
{
	sum->whole_ns += more->whole_ns;
	sum->kernel_ns += more->kernel_ns;
}

void processor_add_since(struct processor_time *sum, const struct processor_time *then)
{
	struct processor_time spent = { .whole_ns = whole_ns() - then->whole_ns };

	spent.kernel_ns = kernel_ns() - then->kernel_ns;
	processor_add(sum, &spent);
}
