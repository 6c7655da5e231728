/* A ring all-reduce over TCP: `ring -myindex RANK -list ADDRESS...`, the same command on every computer.
 * Each computer has a vector of numbers, and at the end all have the sum. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 18600, MOST = 1 << 18, ROUNDS = 8 };

static int rank, ranks, next, previous;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int connected(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int s;

	inet_pton(AF_INET, address, &to.sin_addr);
	for (;;) { /* until the other computer listens */
		s = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(s, (struct sockaddr *)&to, sizeof(to)) == 0)
			return s;
		close(s);
		usleep(10000);
	}
}

static void join_ring(char **list)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listening, (struct sockaddr *)&here, sizeof(here)) || listen(listening, 1))
		fail("listen");
	next = connected(list[(rank + 1) % ranks]);
	previous = accept(listening, NULL, NULL);
	if (previous < 0)
		fail("accept");
	setsockopt(next, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Sends to the next computer while receiving from the previous one: else all might wait in send. */
static void exchange(const char *out, char *in, size_t bytes)
{
	size_t sent = 0, got = 0;

	while (sent < bytes || got < bytes) {
		struct pollfd ends[] = { { next, sent < bytes ? POLLOUT : 0, 0 },
					 { previous, got < bytes ? POLLIN : 0, 0 } };
		ssize_t n;

		poll(ends, 2, -1);
		if (ends[0].revents & POLLOUT && (n = send(next, out + sent, bytes - sent, MSG_DONTWAIT)) > 0)
			sent += (size_t)n;
		if (ends[1].revents && (n = recv(previous, in + got, bytes - got, MSG_DONTWAIT)) >= 0) {
			if (n == 0)
				fail("the previous computer has gone");
			got += (size_t)n;
		}
	}
}

/* Reduce-scatter: after it, each computer has the sum of one part. All-gather: these sums go round. */
static void all_reduce(int32_t *vector, int32_t *received, int numbers)
{
	const int part = numbers / ranks;

	for (int step = 0; step < 2 * (ranks - 1); step++) {
		const int out = ((rank - step) % ranks + ranks) % ranks, in = (out - 1 + ranks) % ranks;

		exchange((char *)&vector[out * part], (char *)received, (size_t)part * sizeof(*vector));
		for (int i = 0; i < part; i++)
			vector[in * part + i] = received[i] + (step < ranks - 1 ? vector[in * part + i] : 0);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(int bytes)
{
	static int32_t vector[MOST], received[MOST];
	const int numbers = bytes / 4 / ranks * ranks;
	double begin = 0;

	for (int round = -1; round < ROUNDS; round++) {
		if (round == 0)
			begin = now(); /* after one round that is not timed */
		for (int i = 0; i < numbers; i++)
			vector[i] = i + rank;
		all_reduce(vector, received, numbers);
		for (int i = 0; i < numbers; i++)
			if (vector[i] != ranks * i + ranks * (ranks - 1) / 2)
				fail("a wrong sum");
	}
	if (rank == 0)
		printf("%d %.3f us\n", bytes, (now() - begin) / ROUNDS * 1e6);
}

int main(int argc, char **argv)
{
	if (argc < 5 || strcmp(argv[1], "-myindex") || strcmp(argv[3], "-list"))
		return fprintf(stderr, "usage: ring -myindex RANK -list ADDRESS...\n"), 2;
	rank = atoi(argv[2]);
	ranks = argc - 4;
	join_ring(argv + 4);
	for (int bytes = 1024; bytes <= 4 * MOST / 4; bytes *= 16)
		measure(bytes);
	return 0;
}
