/* Step 5: chunks by RDMA WRITE, to an address that the receiver has sent. */
#include "messages.h"

void all_reduce_rendezvous(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t,
			   enum operation op)
{
	/* When may the receiver send the next address? How does it learn that a chunk has arrived? */
	(void)r;
	(void)sendbuf;
	(void)recvbuf;
	(void)count;
	(void)t;
	(void)op;
	not_yet("step 5, all_reduce_rendezvous() in rendezvous.c");
}
