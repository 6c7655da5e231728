/* A ping-pong over TCP whose ends both poll: `spinning SIZE ITERATIONS PORT HOST`, the server with 0 iterations. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static char message[65536];

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in address_of(char **words)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[0])) };

	inet_pton(AF_INET, words[1], &address.sin_addr);
	return address;
}

static int join(int is_server, const struct sockaddr_in *address)
{
	const int one = 1, file = socket(AF_INET, SOCK_STREAM, 0);
	int peer = file;

	if (is_server) {
		setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(file, (const void *)address, sizeof(*address)) || listen(file, 1))
			fail("listen");
		peer = accept(file, NULL, NULL);
	} else if (connect(file, (const void *)address, sizeof(*address))) {
		fail("connect");
	}
	setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return peer;
}

/* False once the peer has closed. */
static int receive(int peer, size_t size)
{
	ssize_t got;

	for (size_t at = 0; at < size; at += got > 0 ? (size_t)got : 0) {
		got = recv(peer, message + at, size - at, MSG_DONTWAIT);
		if (got == 0)
			return 0;
		if (got < 0 && errno != EAGAIN)
			fail("recv");
	}
	return 1;
}

static void say(int peer, size_t size)
{
	if (send(peer, message, size, 0) != (ssize_t)size)
		fail("send");
}

static void ask(int peer, size_t size, long iterations)
{
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC_RAW, &before);
	for (long i = 0; i < iterations; i++) {
		say(peer, size);
		receive(peer, size);
	}
	clock_gettime(CLOCK_MONOTONIC_RAW, &after);
	printf("%zu %ld ns\n", size,
	       ((after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec) / iterations);
}

int main(int argc, char **argv)
{
	const size_t size = argc == 5 ? strtoul(argv[1], NULL, 10) : 0;
	const long iterations = argc == 5 ? atol(argv[2]) : 0;
	struct sockaddr_in address;
	int peer;

	if (!size || size > sizeof(message))
		return 2;
	address = address_of(argv + 3);
	peer = join(!iterations, &address);
	if (iterations)
		ask(peer, size, iterations);
	else
		while (receive(peer, size))
			say(peer, size);
	return 0;
}
