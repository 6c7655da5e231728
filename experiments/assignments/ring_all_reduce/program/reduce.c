/* Step 2: in ranks - 1 steps, each rank adds what arrives to its own chunk, and sends the sum on. */
#include "messages.h"

void reduce_scatter(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t, enum operation op)
{
	/* Which chunk does a rank send in step s, and which one arrives? */
	(void)r;
	(void)sendbuf;
	(void)recvbuf;
	(void)count;
	(void)t;
	(void)op;
	not_yet("step 2, reduce_scatter() in reduce.c");
}
