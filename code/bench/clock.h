/* The clock of every measurement: CLOCK_MONOTONIC_RAW is not bent by NTP while a sample is taken. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000u
#define NS_PER_MS 1000000u
#define NS_PER_US 1000u

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* When so many seconds have passed. */
static inline uint64_t ns_from_now(uint64_t seconds)
{
	return now_ns() + seconds * NS_PER_S;
}

/* --duration measures the middle half of its time: from here ... */
static inline uint64_t middle_start_ns(uint64_t lasts_ns)
{
	return lasts_ns / 4;
}

/* ... to here. */
static inline uint64_t middle_end_ns(uint64_t lasts_ns)
{
	return lasts_ns / 4 * 3;
}

/* How long poll(2) may sleep: not less than until then. */
static inline int ms_between(uint64_t now, uint64_t until)
{
	return now < until ? (int)((until - now) / NS_PER_MS + 1) : 0;
}

#endif
