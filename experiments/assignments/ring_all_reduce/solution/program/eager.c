/* Step 4: both halves by SEND. Calls follow each other without a barrier. */
#include "messages.h"

/* The previous rank is at most ranks - 1 messages ahead: it waits for what this rank has sent. As many slots are free,
 * since each is posted again as soon as its numbers are used. */
void all_reduce_eager(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t, enum operation op)
{
	reduce_scatter(r, sendbuf, recvbuf, count, t, op);
	all_gather(r, recvbuf, count, t);
}
