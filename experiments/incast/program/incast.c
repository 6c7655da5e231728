/* incast_tcp -senders 2 -sizes 65536 -iterations 8 -myindex 1 -list 10.0.0.1 10.0.0.2 10.0.0.3. Rank 0 prints "size
 * time us": the mean time until it has the block of the slowest sender. A line with # has the time of each round. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "incast.h"

enum { PORT = 18600, RETRY_US = 10000, DEADLINE_S = 60, SIZES = 16 };

static struct setting setting = { .rank = -1, .timeout = 14 };
static const char *receiver;
static size_t sizes[SIZES], size_count;
static long iterations = 1, warmup;

void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rank %d: %s%s%s\n", setting.rank, what, errno ? ": " : "", errno ? strerror(errno) : "");
	exit(1);
}

static void parse_sizes(char *text)
{
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		const size_t size = strtoul(word, NULL, 10);

		check(size_count < SIZES && size >= 2 && size <= 1 << 24, "-sizes: 1 to 16, of 2 to 16777216 bytes");
		sizes[size_count++] = size;
		setting.most = size > setting.most ? size : setting.most;
	}
}

static void parse(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && strcmp(argv[i], "-list"); i += 2) {
		if (strcmp(argv[i], "-myindex") == 0)
			setting.rank = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-senders") == 0)
			setting.senders = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-device") == 0)
			setting.device = argv[i + 1];
		else if (strcmp(argv[i], "-gid") == 0)
			setting.gid = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-timeout") == 0)
			setting.timeout = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-iterations") == 0)
			iterations = atol(argv[i + 1]);
		else if (strcmp(argv[i], "-warmup") == 0)
			warmup = atol(argv[i + 1]);
		else if (strcmp(argv[i], "-sizes") == 0)
			parse_sizes(argv[i + 1]);
		else
			check(false, argv[i]);
	}
	check(i + 1 < argc && setting.rank >= 0 && size_count, "needs -myindex, -sizes and -list");
	check(setting.senders >= 1 && setting.senders <= SENDERS && setting.senders < argc - i - 1,
	      "-senders must be 1 to 15, fewer than the addresses of -list");
	setting.peers = setting.rank ? 1 : setting.senders;
	receiver = argv[i + 1];
}

static int accepted(int listening, char *rank)
{
	const int s = accept(listening, NULL, NULL);

	check(s >= 0 && recv(s, rank, 1, 0) == 1, "accept");
	return s;
}

static void accept_all(const struct sockaddr_in *here)
{
	const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	char rank;

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	check(!bind(listening, (const struct sockaddr *)here, sizeof(*here)) && !listen(listening, SENDERS), "listen");
	for (int i = 0; i < setting.senders; i++) {
		const int s = accepted(listening, &rank);

		setting.sockets[rank - 1] = s;
	}
	close(listening);
}

static void connect_to(const struct sockaddr_in *address)
{
	const char rank = (char)setting.rank;

	for (;;) { /* until rank 0 listens */
		const int s = socket(AF_INET, SOCK_STREAM, 0);

		setting.sockets[0] = s;
		if (connect(s, (const struct sockaddr *)address, sizeof(*address)) == 0)
			break;
		close(s);
		usleep(RETRY_US);
	}
	check(write(setting.sockets[0], &rank, 1) == 1, "write");
}

static void join(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int on = 1;

	check(inet_pton(AF_INET, receiver, &address.sin_addr) == 1, receiver);
	if (setting.rank == 0)
		accept_all(&address);
	else
		connect_to(&address);
	for (int i = 0; i < setting.peers; i++)
		setsockopt(setting.sockets[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Each byte of a block is its sender's rank. */
static void compare(size_t size)
{
	for (int i = 0; i < setting.senders; i++) {
		const char *block = setting.blocks + (size_t)i * setting.most;

		check(block[0] == i + 1 && memcmp(block, block + 1, size - 1) == 0, "a block has other bytes");
	}
}

static double round_us(size_t size)
{
	double begin, time;

	memset(setting.blocks, 0, (size_t)setting.senders * setting.most);
	begin = now_us();
	transfer_collect(size);
	time = now_us() - begin;
	compare(size);
	return time;
}

static void measure(size_t size)
{
	double sum = 0, time;

	for (long i = 0; i < warmup + iterations; i++) {
		time = round_us(size);
		sum += i < warmup ? 0 : time;
		printf("# %zu bytes, round %ld: %.3f us\n", size, i - warmup, time);
	}
	printf("%zu %.3f us\n", size, sum / (double)iterations);
}

static void answer(size_t size)
{
	for (long i = 0; i < warmup + iterations; i++)
		transfer_answer(size);
}

/* A sender goes when the receiver has all, which may still lack a segment that was lost; the receiver goes last, since
 * a sender may lack an acknowledgement. */
static void leave(void)
{
	char word = 'e';

	if (setting.rank) {
		check(recv(setting.sockets[0], &word, 1, 0) == 1, "the receiver has gone");
		return;
	}
	for (int i = 0; i < setting.senders; i++)
		check(write(setting.sockets[i], &word, 1) == 1, "write");
	for (int i = 0; i < setting.senders; i++)
		check(recv(setting.sockets[i], &word, 1, 0) == 0, "a sender goes on");
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (setting.rank > setting.senders)
		return 0;
	alarm(DEADLINE_S);
	setting.blocks = malloc((size_t)setting.senders * setting.most);
	check(setting.blocks, "malloc");
	memset(setting.blocks, setting.rank, (size_t)setting.senders * setting.most);
	join();
	transfer_connect(&setting);
	for (size_t i = 0; i < size_count; i++)
		(setting.rank ? answer : measure)(sizes[i]);
	leave();
	return 0;
}
