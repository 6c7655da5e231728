/* Prints by how much CLOCK_REALTIME is ahead of CLOCK_MONOTONIC_RAW, now and a second later. */
#include <stdio.h>
#include <time.h>

static long long ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void print_lead(void)
{
	const long long raw = ns_of(CLOCK_MONOTONIC_RAW);

	printf("%lld\n", ns_of(CLOCK_REALTIME) - raw);
}

int main(void)
{
	print_lead();
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	print_lead();
	return 0;
}
