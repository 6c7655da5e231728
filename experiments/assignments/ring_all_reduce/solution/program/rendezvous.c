/* Step 5: chunks by RDMA WRITE, to an address that the receiver has sent. */
#include "messages.h"

#include <string.h>

void all_reduce_rendezvous(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t,
			   enum operation op)
{
	const struct ibv_mr *mr = region_of(r, recvbuf);
	const size_t bytes = size_of(t);
	char *numbers = recvbuf;

	memcpy(recvbuf, sendbuf, count * bytes);
	for (int step = 0; step < 2 * (r->ranks - 1); step++) {
		const struct part out = chunk_of(r, count, r->rank - step);
		const struct part in = chunk_of(r, count, r->rank - step - 1);
		const bool adds = step < r->ranks - 1;
		struct grant to;

		if (adds) /* the message before is used, so its place is free */
			give_grant(r, r->state->slots, r->state->slots_mr);
		else
			give_grant(r, numbers + in.first * bytes, mr);
		to = take_grant(r);
		write_part(r, numbers + out.first * bytes, out.count * bytes, mr, to.address, to.rkey);
		next_message(r);
		if (adds)
			combine(numbers + in.first * bytes, r->state->slots, in.count, t, op);
		free_slot(r);
		wait_until_sent(r);
	}
}
