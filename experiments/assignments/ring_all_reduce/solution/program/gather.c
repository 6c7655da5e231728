/* Step 3: in ranks - 1 steps, the finished chunks go round. */
#include "messages.h"

#include <string.h>

void all_gather(struct ring *r, void *recvbuf, size_t count, enum type t)
{
	const struct ibv_mr *mr = region_of(r, recvbuf);
	const size_t bytes = size_of(t);
	char *numbers = recvbuf;

	for (int step = 0; step < r->ranks - 1; step++) {
		const struct part out = chunk_of(r, count, r->rank + 1 - step);
		const struct part in = chunk_of(r, count, r->rank - step);

		send_part(r, numbers + out.first * bytes, out.count * bytes, mr);
		memcpy(numbers + in.first * bytes, next_message(r), in.count * bytes);
		free_slot(r);
	}
	wait_until_sent(r);
}
