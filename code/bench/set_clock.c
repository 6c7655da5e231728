/* Sets this computer's clock: so many ns on, and from then on so many millionths too fast. CLOCK_REALTIME shows both,
 * CLOCK_MONOTONIC the rate alone, and CLOCK_MONOTONIC_RAW, by which the other programs measure, neither. */
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
		die("%s is no whole number", text);
	return value;
}

static void adjust(struct timex change)
{
	if (adjtimex(&change) < 0)
		die("adjtimex: %s", strerror(errno));
}

/* Time goes back by whole seconds, and on again by what is too much: the ns may not be negative. */
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
