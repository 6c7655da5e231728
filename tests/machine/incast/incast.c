/*
 * Many send to one over TCP, all at once: `incast receive SENDERS`, and `incast send BYTES HOST` at each of the others.
 *
 * A sender waits until the receiver has heard of all. What it sends follows from the last byte of its address, by which
 * the receiver knows what must come.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7000, MOST_SENDERS = 8, PERIOD = 65521, CHUNK = 16384, RETRY_NS = 1000000 };

struct peer {
	int file, number;
	size_t got;
	uint8_t pattern[PERIOD + CHUNK]; /* its period is a prime, so that no piece fits in another's place */
};

static struct peer peers[MOST_SENDERS];

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void fill(struct peer *peer, const struct sockaddr_in *sender)
{
	uint32_t state = (uint32_t)(peer->number = ntohl(sender->sin_addr.s_addr) & 0xff);

	for (int i = 0; i < PERIOD + CHUNK; i++) {
		state = state * 1664525 + 1013904223;
		peer->pattern[i] = i < PERIOD ? (uint8_t)(state >> 24) : peer->pattern[i - PERIOD];
	}
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void welcome(int count)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int file = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in sender;
	socklen_t size = sizeof(sender);

	if (bind(file, (const void *)&any, sizeof(any)) || listen(file, MOST_SENDERS))
		fail("listen");
	for (int i = 0; i < count; i++) {
		peers[i].file = accept(file, (void *)&sender, &size);
		fill(&peers[i], &sender);
	}
}

/* False once it has sent all. */
static int take(struct peer *peer)
{
	static uint8_t chunk[CHUNK];
	const ssize_t got = read(peer->file, chunk, sizeof(chunk));

	if (got < 0)
		fail("read");
	if (memcmp(chunk, peer->pattern + peer->got % PERIOD, (size_t)got)) {
		fprintf(stderr, "other bytes came from %d after %zu\n", peer->number, peer->got);
		exit(1);
	}
	peer->got += (size_t)got;
	return got > 0;
}

static void take_all(int count)
{
	struct pollfd waits[MOST_SENDERS];
	int left = count;

	for (int i = 0; i < count; i++)
		waits[i] = (struct pollfd){ peers[i].file, POLLIN, 0 };
	while (left && poll(waits, (nfds_t)count, -1) > 0)
		for (int i = 0; i < count; i++)
			if (waits[i].revents && !take(&peers[i])) {
				waits[i].fd = -1;
				left--;
			}
}

static int receive(int count)
{
	int64_t start, end;

	welcome(count);
	start = now_ns();
	for (int i = 0; i < count; i++)
		if (write(peers[i].file, "", 1) != 1)
			fail("write");
	take_all(count);
	end = now_ns();
	for (int i = 0; i < count; i++)
		printf("%d %zu bytes\n", peers[i].number, peers[i].got);
	printf("all %lld ns\n", (long long)(end - start));
	return 0;
}

/* It may not listen yet. */
static int call(const char *host)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int file = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, host, &address.sin_addr);
	while (connect(file, (const void *)&address, sizeof(address))) {
		if (errno != ECONNREFUSED)
			fail("connect");
		close(file);
		nanosleep(&(struct timespec){ 0, RETRY_NS }, NULL);
		file = socket(AF_INET, SOCK_STREAM, 0);
	}
	return file;
}

static void put_all(const struct peer *me, size_t size)
{
	ssize_t put;

	for (size_t at = 0; at < size; at += (size_t)put) {
		put = write(me->file, me->pattern + at % PERIOD, size - at < CHUNK ? size - at : CHUNK);
		if (put < 0)
			fail("write");
	}
}

static int send_all(size_t size, const char *host)
{
	struct peer *const me = &peers[0];
	struct sockaddr_in own;
	struct tcp_info info;
	socklen_t length = sizeof(own);
	uint8_t word;

	me->file = call(host);
	getsockname(me->file, (void *)&own, &length);
	fill(me, &own);
	if (read(me->file, &word, 1) != 1)
		fail("read");
	put_all(me, size);
	shutdown(me->file, SHUT_WR);
	if (read(me->file, &word, 1) != 0)
		fail("read");
	length = sizeof(info);
	getsockopt(me->file, IPPROTO_TCP, TCP_INFO, &info, &length);
	printf("%u segments again\n", info.tcpi_total_retrans);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "receive"))
		return receive(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "send"))
		return send_all(strtoul(argv[2], NULL, 10), argv[3]);
	return 2;
}
