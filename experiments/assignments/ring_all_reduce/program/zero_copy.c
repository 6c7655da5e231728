/* Step 7: as pipelined, and finished chunks go directly into the next rank's recvbuf. */
#include "messages.h"

void all_reduce_zero_copy(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t,
			  enum operation op)
{
	/* When may the finished chunk be written over what is in that recvbuf? */
	(void)r;
	(void)sendbuf;
	(void)recvbuf;
	(void)count;
	(void)t;
	(void)op;
	not_yet("step 7, all_reduce_zero_copy() in zero_copy.c");
}
