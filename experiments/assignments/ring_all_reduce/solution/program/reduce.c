/* Step 2: in ranks - 1 steps, each rank adds what arrives to its own chunk, and sends the sum on. */
#include "messages.h"

#include <string.h>

void reduce_scatter(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t, enum operation op)
{
	const struct ibv_mr *mr = region_of(r, recvbuf);
	const size_t bytes = size_of(t);
	char *numbers = recvbuf;

	memcpy(recvbuf, sendbuf, count * bytes);
	for (int step = 0; step < r->ranks - 1; step++) {
		const struct part out = chunk_of(r, count, r->rank - step);
		const struct part in = chunk_of(r, count, r->rank - step - 1);

		send_part(r, numbers + out.first * bytes, out.count * bytes, mr);
		combine(numbers + in.first * bytes, next_message(r), in.count, t, op);
		free_slot(r);
	}
	wait_until_sent(r);
}
