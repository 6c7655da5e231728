/* Step 10: the same messages by TCP, one at a time. */
#include "course.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* A message goes in two calls: its second part must not wait until the first is acknowledged. */
static void send_at_once(int there)
{
	int one = 1;

	check(!setsockopt(there, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
}

static void send_whole(int there, const char *from, size_t bytes)
{
	while (bytes) {
		ssize_t sent = send(there, from, bytes, 0);

		check(sent > 0, "send");
		from += sent;
		bytes -= (size_t)sent;
	}
}

static void send_each(struct side *s, int there, long first, long end)
{
	size_t head = s->size < 8 ? s->size : 8;
	char answer;

	for (long number = first; number < end; number++) {
		course_fill(s->buffer, number);
		send_whole(there, s->buffer, head);
		send_whole(there, s->buffer + head, s->size - head);
		check(recv(there, &answer, 1, 0) == 1, "the answer");
	}
}

int64_t over_tcp(struct side *s, int there, long warmup, long count)
{
	int64_t start;

	send_at_once(there);
	send_each(s, there, 0, warmup);
	start = now_ns();
	send_each(s, there, warmup, warmup + count);
	return now_ns() - start;
}

void answer_over_tcp(struct side *s, int there)
{
	while (recv(there, s->buffer, s->size, MSG_WAITALL) == (ssize_t)s->size)
		send_whole(there, "k", 1);
}
