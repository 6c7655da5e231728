/* Step 10: the same messages by TCP, one at a time. */
#include "course.h"

int64_t over_tcp(struct side *s, int there, long warmup, long count)
{
	/* The beginning of each message, then its rest; then wait for the answer. */
	(void)s;
	(void)there;
	(void)warmup;
	(void)count;
	not_yet("step 10, over_tcp() in sockets.c");
}

void answer_over_tcp(struct side *s, int there)
{
	/* A byte for each whole message, which may come in pieces; until nothing more comes. */
	(void)s;
	(void)there;
	not_yet("step 10, answer_over_tcp() in sockets.c");
}
