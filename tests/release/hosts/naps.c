/* Sleeps very often and very shortly; prints a digest of all the instants at which it woke up. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	const struct timespec nap = { .tv_nsec = 5000 };
	uint64_t digest = 0;
	struct timespec now;

	for (int i = 0; i < 20000; i++) {
		nanosleep(&nap, NULL);
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		digest = digest * 1000003 + (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	printf("%016lx\n", digest);
	return 0;
}
