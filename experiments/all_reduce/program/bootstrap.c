/* The ring over TCP: it exchanges addresses, and is the barrier. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ring.h"

enum { PORT = 18600, RETRY_US = 10000 };

static struct sockaddr_in address_of(const struct setting *s, int rank)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const char *text = s->list[rank % s->ranks];

	check(inet_pton(AF_INET, text, &address.sin_addr) == 1, text);
	return address;
}

static int connected(const struct sockaddr_in *to)
{
	for (;;) { /* until the other computer listens */
		const int s = socket(AF_INET, SOCK_STREAM, 0);

		check(s >= 0, "socket");
		if (connect(s, (const struct sockaddr *)to, sizeof(*to)) == 0)
			return s;
		close(s);
		usleep(RETRY_US);
	}
}

void bootstrap_join(struct ring *r)
{
	const struct sockaddr_in here = address_of(r->setting, r->setting->rank);
	const struct sockaddr_in next = address_of(r->setting, r->setting->rank + 1);
	const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	check(!bind(listening, (const struct sockaddr *)&here, sizeof(here)) && !listen(listening, 1), "listen");
	r->next = connected(&next);
	r->previous = accept(listening, NULL, NULL);
	check(r->previous >= 0, "accept");
	close(listening);
	setsockopt(r->next, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(r->previous, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void bootstrap_pass(int to, const void *message, int from, void *received, size_t bytes)
{
	check(write(to, message, bytes) == (ssize_t)bytes, "write");
	check(recv(from, received, bytes, MSG_WAITALL) == (ssize_t)bytes, "the previous computer has gone");
}

void bootstrap_barrier(const struct ring *r)
{
	char token = 't';

	for (int round = 0; round < 2;
	     round++) { /* in the first the token collects all, in the second it releases them */
		if (r->setting->rank == 0) {
			bootstrap_pass(r->next, &token, r->previous, &token, 1);
			continue;
		}
		check(recv(r->previous, &token, 1, 0) == 1, "the previous computer has gone");
		check(write(r->next, &token, 1) == 1, "write");
	}
}
