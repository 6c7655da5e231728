/* Sets the clock of this host: moves it by a number of ns, and makes it run fast by a number of ppm. CLOCK_REALTIME
 * shows both, CLOCK_MONOTONIC the rate alone, CLOCK_MONOTONIC_RAW, which the other programs measure with, neither. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "clock.h"
#include "die.h"

#define PPM 65536 /* the kernel's unit of a rate is 2^-16 ppm: adjtimex(2) */

static long number(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (!*text || *end || errno)
		die("%s is not a whole number", text);
	return value;
}

static void adjust(struct timex change)
{
	if (adjtimex(&change) < 0)
		die("adjtimex: %s", strerror(errno));
}

/* Moves back by whole seconds, and forward by the excess: the ns may not be negative. */
static void move(long ns)
{
	const long seconds = (ns - (ns < 0 ? NS_PER_S - 1l : 0)) / (long)NS_PER_S;

	adjust((struct timex){ .modes = ADJ_SETOFFSET | ADJ_NANO, .time = { seconds, ns - seconds * (long)NS_PER_S } });
}

int main(int argc, char **argv)
{
	long offset_ns, drift_ppm;

	die_name(argv[0]);
	if (argc != 3)
		die("usage: %s OFFSET_NS DRIFT_PPM", die_program());
	offset_ns = number(argv[1]);
	drift_ppm = number(argv[2]);
	adjust((struct timex){ .modes = ADJ_FREQUENCY, .freq = drift_ppm * PPM });
	move(offset_ns);
	return 0;
}
