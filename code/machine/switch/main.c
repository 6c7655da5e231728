/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `switch latency=1000,rate=1000000000,queue=65536 FILE...`: see bridge.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge.h"

#define MOST_LATENCY_NS (1ull << 62)
#define USAGE                                                                                                          \
	"usage: switch latency=NS[,rate=BIT_S][,queue=BYTES][,xoff=BYTES,xon=BYTES][,mark=BYTES] FILE FILE...\n"       \
	"Joins exact machines, each of which is end 0 of a pair and shares one FILE with the switch.\n"                \
	"  latency  of every link, 1 or more, as set in its machine\n"                                                 \
	"  rate     of every port to its machine, on the link; 0 or none: a frame takes no time\n"                     \
	"  queue    before every port, on the link; 0 or none: any number of bytes wait\n"                             \
	"  xoff     an RDMA card that has more bytes in all queues pauses; 0 or none: never\n"                         \
	"  xon      it goes on when it has as few\n"                                                                   \
	"  mark     a packet of an RDMA card that makes a queue longer is marked; 0 or none: none is\n"

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "switch: %s\n%s", what, USAGE);
	exit(2);
}

static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		refuse("a value that is not a whole number");
	return number;
}

static struct wire_model model_of(char *words, struct bridge *bridge)
{
	char *const names[] = { "latency", "rate", "queue", "xoff", "xon", "mark", NULL };
	uint64_t numbers[] = { 0, 0, 0, 0, 0, 0 };
	char *value;

	while (*words) {
		const int name = getsubopt(&words, names, &value);

		if (name < 0 || !value)
			refuse("an unknown option, or one without a value");
		numbers[name] = number_of(value);
	}
	if (!numbers[0] || numbers[0] >= MOST_LATENCY_NS)
		refuse("no latency: then no machine could ever go on");
	bridge->flow = (struct flow_control){ numbers[3], numbers[4] };
	bridge->mark_bytes = numbers[5];
	return (struct wire_model){ .latency_ns = (int64_t)numbers[0],
				    .rate_bit_s = numbers[1],
				    .queue_bytes = numbers[2] };
}

static void plug_all(struct bridge *bridge, const struct wire_model *link, char **files)
{
	for (; *files; files++) {
		if (bridge_plug(bridge, *files, link))
			continue;
		fprintf(stderr, "switch: %s: %s\n", *files, strerror(errno));
		exit(EXIT_FAILURE);
	}
}

static _Noreturn void run(struct bridge *bridge, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	bridge_run(bridge);
	_exit(EXIT_SUCCESS);
}

/* In a child process: however it ends, the parent can report the reason to all machines. */
int main(int argc, char **argv)
{
	static struct bridge bridge;
	const pid_t parent = getpid();
	struct wire_model link;
	int status = EXIT_FAILURE;
	pid_t child;

	if (argc < 4 || argc > 2 + MOST_PORTS)
		refuse("needs its options, and 2 to 16 files");
	link = model_of(argv[1], &bridge);
	plug_all(&bridge, &link, argv + 2);
	child = fork();
	if (child == 0)
		run(&bridge, parent);
	if (child < 0)
		perror("switch: fork");
	else
		wait(&status);
	if (status == 0)
		return EXIT_SUCCESS;
	bridge_give_up(&bridge);
	return EXIT_FAILURE;
}
