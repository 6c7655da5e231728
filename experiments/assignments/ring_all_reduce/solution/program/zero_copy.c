/* Step 7: as pipelined, and finished chunks go directly into the next rank's recvbuf. */
#include "messages.h"

#include <string.h>

/* A finished segment may be written over this rank's own numbers: they are part of it, so they have been sent. */
void all_reduce_zero_copy(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t,
			  enum operation op)
{
	memcpy(recvbuf, sendbuf, count * size_of(t));
	reduce_in_segments(r, recvbuf, count, t, op, true);
}
