/* Step 1: a ring of queue pairs. */
#include "messages.h"

void connect_ring(struct ring *r, char **names, int port)
{
	/* A TCP socket to the next rank, one from the previous rank; queue pairs; and what each must know of the other.
	 */
	(void)r;
	(void)names;
	(void)port;
	not_yet("step 1, connect_ring() in connect.c");
}

void close_ring(struct ring *r)
{
	/* The course calls this after a barrier: no computer needs another one any more. */
	(void)r;
}
