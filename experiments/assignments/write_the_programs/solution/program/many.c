/* Step 6: the next messages go while the ones before are on their way. */
#include "course.h"

static void send_all(struct side *s, long first, long end)
{
	int in_flight = 0;

	for (long number = first; number < end; number++) {
		if (in_flight == DEPTH) {
			wait_for(s, 1);
			in_flight--;
		}
		post_write(s, number);
		in_flight++;
	}
	wait_for(s, in_flight);
}

int64_t many_in_flight(struct side *s, long warmup, long count)
{
	int64_t start;

	send_all(s, 0, warmup);
	start = now_ns();
	send_all(s, warmup, warmup + count);
	return now_ns() - start;
}
