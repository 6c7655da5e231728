#include "processor.h"

#include <sys/resource.h>

#include "clock.h"
#include "least.h"

struct processor_time processor_now(void)
{
	struct rusage usage;
	struct timespec whole;

	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &whole);
	return (struct processor_time){
		.whole_ns = (uint64_t)whole.tv_sec * NS_PER_S + (uint64_t)whole.tv_nsec,
		.kernel_ns = (uint64_t)usage.ru_stime.tv_sec * NS_PER_S + (uint64_t)usage.ru_stime.tv_usec * NS_PER_US,
	};
}

void processor_add(struct processor_time *sum, const struct processor_time *more)
{
	sum->whole_ns += more->whole_ns;
	sum->kernel_ns += more->kernel_ns;
}

/* What one tick finds stands for more time than may have passed. */
void processor_add_since(struct processor_time *sum, const struct processor_time *then)
{
	const struct processor_time now = processor_now();
	struct processor_time spent = { .whole_ns = now.whole_ns - then->whole_ns };

	spent.kernel_ns = least(now.kernel_ns - then->kernel_ns, spent.whole_ns);
	processor_add(sum, &spent);
}
