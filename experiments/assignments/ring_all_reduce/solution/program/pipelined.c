/* Step 6: a chunk is several messages: one is added while the next is in flight. */
#include "messages.h"

#include <string.h>

/* Segment `number` of the stream: the chunks of all steps, one after the other. */
static struct part segment_of(const struct ring *r, size_t count, int rank, size_t number, size_t segments)
{
	const struct part chunk = chunk_of(r, count, rank - (int)(number / segments));
	const size_t first = chunk.count * (number % segments) / segments;

	return (struct part){ chunk.first + first, chunk.count * (number % segments + 1) / segments - first };
}

void reduce_in_segments(struct ring *r, char *recvbuf, size_t count, enum type t, enum operation op, bool direct)
{
	const size_t bytes = size_of(t), segments = segments_of(r, count * bytes);
	const size_t adding = (size_t)(r->ranks - 1) * segments, all = 2 * adding;
	const struct ibv_mr *mr = region_of(r, recvbuf);
	struct messages *m = r->state;
	const unsigned long sent_before = m->done[SENT], used_before = m->used;
	struct grant to = { 0 };
	size_t posted = 0, used = 0, sent = 0;

	if (direct)
		give_grant(r, recvbuf, mr);
	while (used < all || sent < all) {
		/* A segment may be sent on as soon as the same segment of the step before has been added. A finished
		 * one replaces numbers that were sent ranks - 1 steps before. */
		const bool can_take = used < all && used < m->done[RECEIVED] - used_before && used < sent + adding;

		if (posted < all && posted < used + segments && posted < sent + DEPTH - 1) {
			const struct part out = segment_of(r, count, r->rank, posted, segments);
			const char *from = recvbuf + out.first * bytes;

			if (direct && posted == adding)
				to = take_grant(r);
			if (direct && posted >= adding)
				write_part(r, from, out.count * bytes, mr, to.address + out.first * bytes, to.rkey);
			else
				send_part(r, from, out.count * bytes, mr);
			posted++;
		} else if (can_take) {
			const struct part in = segment_of(r, count, r->rank - 1, used, segments);

			if (used < adding)
				combine(recvbuf + in.first * bytes, next_message(r), in.count, t, op);
			else if (!direct)
				memcpy(recvbuf + in.first * bytes, next_message(r), in.count * bytes);
			free_slot(r);
			used++;
		} else {
			take_completions(r);
		}
		sent = m->done[SENT] - sent_before;
	}
}

void all_reduce_pipelined(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t,
			  enum operation op)
{
	memcpy(recvbuf, sendbuf, count * size_of(t));
	reduce_in_segments(r, recvbuf, count, t, op, false);
}
