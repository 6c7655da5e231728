/* RDMA WRITE as course templates teach it: one request in flight, built anew and signalled, completions polled one by
 * one, and the window drained before it is filled again. Each option takes one habit away. It prints "size value unit".
 */
#include "connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIST_MAX 64
#define DEADLINE_S 60

static struct setting setting = {
	.port = "18800", .size = 64, .iterations = 1000, .depth = 1, .signal_every = 1, .list = 1
};
static struct connection connection;

/* Posts `count` requests after the first `posted`; those are signalled that --signal-every asks for, and the last of a
 * batch. */
static void post(long posted, long count, long batch_end)
{
	struct ibv_sge sge = { connection.here.address, (uint32_t)setting.size, connection.mr->lkey };
	struct ibv_send_wr wr[LIST_MAX], *bad;
	bool signalled;

	for (long i = 0; i < count; i++) {
		signalled = (posted + i + 1) % setting.signal_every == 0 || posted + i + 1 == batch_end;
		wr[i] = (struct ibv_send_wr){
			.wr_id = (uint64_t)(posted + i + 1), /* all up to here are complete then */
			.next = i + 1 < count ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.send_flags = signalled ? IBV_SEND_SIGNALED : 0,
			.wr.rdma = { connection.there.address, connection.there.key },
		};
	}
	check(!ibv_post_send(connection.qp, wr, &bad), "ibv_post_send");
}

static void sleep_until_event(void)
{
	struct ibv_cq *of;
	void *nothing;

	check(!ibv_get_cq_event(connection.channel, &of, &nothing), "ibv_get_cq_event");
	ibv_ack_cq_events(of, 1);
}

/* How many requests are complete by the next completion. */
static long complete(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(connection.cq, 1, &wc) == 0) {
		if (!setting.sleeps)
			continue;
		ibv_req_notify_cq(connection.cq, 0);
		if (ibv_poll_cq(connection.cq, 1, &wc) > 0)
			break;
		sleep_until_event();
	}
	check(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
	return (long)wc.wr_id;
}

static long at_most(long a, long b)
{
	return a < b ? a : b;
}

/* Fills the window, waits until it is empty, and starts again. */
static void write_draining(long messages)
{
	for (long posted = 0, completed = 0, batch; posted < messages;) {
		batch = at_most(posted + setting.depth, messages);
		for (long list; posted < batch; posted += list) {
			list = at_most(setting.list, batch - posted);
			post(posted, list, batch);
		}
		while (completed < posted)
			completed = complete();
	}
}

/* Refills the window as soon as there is room for a list. */
static void write_sliding(long messages)
{
	for (long posted = 0, completed = 0, list; completed < messages;) {
		list = at_most(setting.list, messages - posted);
		if (list > 0 && posted - completed + list <= setting.depth) {
			post(posted, list, messages);
			posted += list;
		} else {
			completed = complete();
		}
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(void)
{
	void (*const write_all)(long) = setting.slide ? write_sliding : write_draining;
	double start;

	write_all(setting.warmup);
	start = seconds();
	write_all(setting.iterations);
	printf("%ld %.6f kB/s\n", setting.size,
	       (double)setting.size * (double)setting.iterations / (seconds() - start) / 1e3);
}

static const struct {
	const char *name;
	long *value, least, most;
} numbers[] = {
	{ "server", &setting.server, 0, 1 },
	{ "slide", &setting.slide, 0, 1 },
	{ "sleep", &setting.sleeps, 0, 1 },
	{ "size", &setting.size, 1, 1L << 30 },
	{ "iterations", &setting.iterations, 1, 1L << 40 },
	{ "warmup", &setting.warmup, 0, 1L << 40 },
	{ "depth", &setting.depth, 1, 8192 },
	{ "signal-every", &setting.signal_every, 1, 8192 },
	{ "list", &setting.list, 1, LIST_MAX },
};

static bool set(const char *name, const char *value)
{
	char *end;

	if (strcmp(name, "device") == 0)
		setting.device = value;
	if (strcmp(name, "port") == 0)
		setting.port = value;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(name, numbers[i].name) != 0)
			continue;
		*numbers[i].value = strtol(value, &end, 10);
		return *end == '\0' && *numbers[i].value >= numbers[i].least && *numbers[i].value <= numbers[i].most;
	}
	return setting.device == value || setting.port == value;
}

static _Noreturn void usage(const char *wrong)
{
	fprintf(stderr, "plain: %s; usage: plain --device D [--port P]", wrong);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(stderr, " [--%s %ld..%ld]", numbers[i].name, numbers[i].least, numbers[i].most);
	fprintf(stderr, " HOST\n");
	exit(2);
}

static void parse(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
		if (!set(argv[i] + 2, argv[i + 1]))
			usage(argv[i]);
	if (i != argc - 1 || !setting.device)
		usage("it takes a device and a host");
	if (setting.signal_every + setting.list - 1 > setting.depth)
		usage("a list and a signal must fit into --depth");
	setting.host = argv[i];
}

int main(int argc, char **argv)
{
	char rest;

	alarm(DEADLINE_S);
	parse(argc, argv);
	connection = plain_connect(&setting);
	if (setting.server)
		return read(connection.side, &rest, 1) == 0 ? 0 : 1; /* the device does all until the client leaves */
	measure();
	return 0;
}
