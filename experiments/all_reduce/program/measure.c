/* Times an all-reduce of vectors of several sizes, and compares every number of the result. Rank 0 prints "size time
 * us". ring -variant eager -myindex 1 -list 10.0.0.1 10.0.0.2 10.0.0.3 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "all_reduce.h"

enum { DEADLINE_S = 60, SIZES = 64 };

static struct setting setting = { .rank = -1, .variant = "eager", .gid = -1 };
static size_t sizes[SIZES] = { 1024, 16384, 262144 }, size_count = 3; /* in bytes */
static long iterations = 8;

void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rank %d: %s%s%s\n", setting.rank, what, errno ? ": " : "", errno ? strerror(errno) : "");
	exit(1);
}

static void too_late(int signal)
{
	static const char message[] = "all_reduce: no end after 60 s: a message is missing, or a computer is\n";

	_exit(write(STDERR_FILENO, message, sizeof(message) - 1) > 0 ? 1 : signal);
}

/* A different factor for each rank: a sum that lacks one, or has it twice, is another. */
static uint32_t factor(int rank, uint32_t seed)
{
	uint32_t bits = (uint32_t)(rank + 1) * 0x9e3779b9 ^ seed * 0x85ebca6b;

	bits = (bits ^ bits >> 16) * 0x45d9f3b;
	return bits ^ bits >> 15;
}

static void fill(size_t count, uint32_t seed)
{
	const uint32_t mine = factor(setting.rank, seed);

	for (size_t i = 0; i < count; i++) {
		setting.mine[i] = (uint32_t)(i + 1) * mine;
		setting.sum[i] = ~0U;
	}
}

static void compare(size_t count, uint32_t seed)
{
	uint32_t sum = 0;

	for (int rank = 0; rank < setting.ranks; rank++)
		sum += factor(rank, seed);
	for (size_t i = 0; i < count; i++) {
		if (setting.sum[i] == (uint32_t)(i + 1) * sum)
			continue;
		fprintf(stderr, "rank %d: number %zu of %zu is %u, not %u\n", setting.rank, i, count, setting.sum[i],
			(uint32_t)(i + 1) * sum);
		exit(1);
	}
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The time of a call. The first call is not timed: at its end all computers are here. */
static double reduce_us(size_t count, uint32_t seed)
{
	double begin, time;

	fill(count, seed);
	all_reduce(count);
	begin = now_us();
	for (long i = 0; i < iterations; i++)
		all_reduce(count);
	time = now_us() - begin;
	compare(count, seed);
	return time / (double)iterations;
}

static void parse_sizes(char *text)
{
	size_count = 0;
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		check(size_count < SIZES, "-sizes has too many");
		sizes[size_count] = strtoul(word, NULL, 10);
		check(sizes[size_count] >= 4 && sizes[size_count] <= 1 << 26,
		      "-sizes: each must be 4 to 67108864 bytes");
		size_count++;
	}
}

static void parse(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && strcmp(argv[i], "-list"); i += 2) {
		if (strcmp(argv[i], "-myindex") == 0)
			setting.rank = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-variant") == 0)
			setting.variant = argv[i + 1];
		else if (strcmp(argv[i], "-device") == 0)
			setting.device = argv[i + 1];
		else if (strcmp(argv[i], "-gid") == 0)
			setting.gid = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-wait") == 0)
			setting.polls = strcmp(argv[i + 1], "poll") == 0;
		else if (strcmp(argv[i], "-iterations") == 0)
			iterations = atol(argv[i + 1]);
		else if (strcmp(argv[i], "-sizes") == 0)
			parse_sizes(argv[i + 1]);
		else
			check(false, argv[i]);
	}
	if (i < argc && strcmp(argv[i], "-list") == 0) {
		setting.list = argv + i + 1;
		setting.ranks = argc - i - 1;
	}
	check(iterations > 0 && size_count > 0, "-iterations and -sizes must be above 0");
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	signal(SIGALRM, too_late);
	alarm(DEADLINE_S);
	for (size_t i = 0; i < size_count; i++)
		setting.most = sizes[i] / 4 > setting.most ? sizes[i] / 4 : setting.most;
	setting.mine = calloc(setting.most, sizeof(*setting.mine));
	setting.sum = calloc(setting.most, sizeof(*setting.sum));
	check(setting.mine && setting.sum, "calloc");
	all_reduce_connect(&setting);
	for (size_t i = 0; i < size_count; i++) {
		const double time_us = reduce_us(sizes[i] / 4, (uint32_t)i);

		if (setting.rank == 0)
			printf("%zu %.3f us\n", sizes[i], time_us);
	}
	all_reduce_close();
	return 0;
}
