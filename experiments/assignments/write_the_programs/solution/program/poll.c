/* Step 5: completions, and the time of messages that wait for each other. */
#include "course.h"

#include <stdio.h>
#include <stdlib.h>

void wait_for(struct side *s, int completions)
{
	struct ibv_wc wc;

	while (completions > 0) {
		int found = ibv_poll_cq(s->cq, 1, &wc);

		check(found >= 0, "ibv_poll_cq");
		if (found && wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "a completion says: %s\n", ibv_wc_status_str(wc.status));
			exit(1);
		}
		completions -= found;
	}
}

static void send_each(struct side *s, long first, long end)
{
	for (long number = first; number < end; number++) {
		post_write(s, number);
		wait_for(s, 1);
	}
}

int64_t one_at_a_time(struct side *s, long warmup, long count)
{
	int64_t start;

	send_each(s, 0, warmup);
	start = now_ns();
	send_each(s, warmup, warmup + count);
	return now_ns() - start;
}
