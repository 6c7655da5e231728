/* The frame around the ten files: options, the way to the other end, and a check of each step. */
#include "course.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum step { OPEN, CONNECT, REGISTER, WRITE, POLL, MANY, INLINE, SIGNAL, LISTS, SOCKETS };

static const char *const names[] = { "open", "connect", "register", "write", "poll",
				     "many", "inline",  "signal",   "lists", "sockets" };
static int64_t (*const senders[])(struct side *, long, long) = {
	[POLL] = one_at_a_time, [MANY] = many_in_flight, [INLINE] = inline_data, [SIGNAL] = signal_some, [LISTS] = lists
};
static enum step last;
enum { QKEY = 0x11111111 };
/* What each state of a queue pair for datagrams needs. */
static const int datagram_masks[] = { [IBV_QPS_INIT] = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
				      [IBV_QPS_RTR] = IBV_QP_STATE,
				      [IBV_QPS_RTS] = IBV_QP_STATE | IBV_QP_SQ_PSN };
static uint64_t seed;
static long messages = 100, warmup;
static const char *port = "18800";
static int there; /* a TCP socket to the other end */

void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

_Noreturn void not_yet(const char *what)
{
	fprintf(stderr, "not written yet: %s\n", what);
	exit(3);
}

/* Of a step that left something out. */
static void wanted(bool good, const char *file, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", file, what);
	exit(4);
}

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static uint32_t beginning;

void course_fill(char *at, long number)
{
	uint64_t sum = seed + (uint64_t)number;

	memcpy(at, &sum, beginning);
}

static void meet(bool is_server, const char *host)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int one = 1, fd;

	check(!getaddrinfo(host, port, &hints, &found), host);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!is_server) {
		check(!connect(fd, found->ai_addr, found->ai_addrlen), "connect to the server");
		there = fd;
		return;
	}
	check(!bind(fd, found->ai_addr, found->ai_addrlen) && !listen(fd, 1), "listen");
	there = accept(fd, NULL, NULL);
}

static void swap(const void *mine, void *theirs, size_t bytes)
{
	check(write(there, mine, bytes) == (ssize_t)bytes, "telling the other end");
	if (recv(there, theirs, bytes, MSG_WAITALL) == (ssize_t)bytes)
		return;
	fprintf(stderr, "the other end is gone: its output has the reason\n");
	exit(1);
}

static void both_are_here(void)
{
	char ready = 'r';

	swap(&ready, &ready, 1);
}

static void step_open(struct side *s)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	open_device(s);
	wanted(s->context, "open.c", "no context: ibv_open_device() opens the device of this name");
	wanted(!strcmp(ibv_get_device_name(s->context->device), s->device), "open.c", "this is another device");
	wanted(s->pd && s->pd->context == s->context, "open.c", "no protection domain of this device");
	wanted(!memcmp(s->gid.raw, mapped, sizeof(mapped)), "open.c", "the GID must be an IPv4 address");
}

static enum ibv_qp_state state_of(struct side *s)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	check(!ibv_query_qp(s->qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp");
	wanted(s->is_server || init.cap.max_send_wr >= DEPTH, "connect.c", "the send queue holds less than DEPTH");
	return attr.qp_state;
}

/* One message of the frame's own through what the two ends have made, so that the link shows whether it works. It is a
 * datagram if it goes to an address handle. */
static void send_one(struct side *s, struct ibv_mr *mr, struct ibv_ah *to, const char *file)
{
	struct ibv_sge all = { (uintptr_t)mr->addr, (uint32_t)mr->length, mr->lkey }, sge = all;
	struct ibv_recv_wr *bad_receive, receive = { .sg_list = &all, .num_sge = 1 };
	struct ibv_send_wr *bad,
		send = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	int found = 0;

	sge.length = s->size;
	if (to) {
		send.wr.ud.ah = to;
		send.wr.ud.remote_qpn = s->there_qpn;
		send.wr.ud.remote_qkey = QKEY;
	}
	if (s->is_server)
		wanted(!ibv_post_recv(s->qp, &receive, &bad_receive), file, "there is no room for one receive");
	both_are_here();
	if (!s->is_server) {
		course_fill(mr->addr, 0);
		check(!ibv_post_send(s->qp, &send, &bad), "ibv_post_send");
		while (!found)
			found = ibv_poll_cq(s->cq, 1, &wc);
		check(found == 1, "ibv_poll_cq");
		wanted(wc.status == IBV_WC_SUCCESS, file, ibv_wc_status_str(wc.status));
	}
	both_are_here();
}

static void send_through_queue_pair(struct side *s)
{
	void *memory = calloc(1, s->size);
	struct ibv_mr *mr = ibv_reg_mr(s->pd, memory, s->size, IBV_ACCESS_LOCAL_WRITE);

	check(mr, "ibv_reg_mr");
	send_one(s, mr, NULL, "connect.c");
}

static void swap_addresses(struct side *s)
{
	struct end {
		uint32_t qpn;
		union ibv_gid gid;
	} mine = { 0 }, theirs;

	mine.qpn = s->qp->qp_num;
	mine.gid = s->gid;
	swap(&mine, &theirs, sizeof(mine));
	s->there_qpn = theirs.qpn;
	s->there_gid = theirs.gid;
}

/* By a queue pair of the frame's own for datagrams: the device is open, and has this address. */
static void send_datagram(struct side s)
{
	const size_t bytes = s.size + sizeof(struct ibv_grh);
	struct ibv_mr *mr = ibv_reg_mr(s.pd, calloc(1, bytes), bytes, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qkey = QKEY, .port_num = 1 };
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_ah *ah;

	init.send_cq = init.recv_cq = s.cq = ibv_create_cq(s.context, 2, NULL, NULL, 0);
	check(mr && s.cq && (s.qp = ibv_create_qp(s.pd, &init)), "a queue pair for a datagram");
	for (attr.qp_state = IBV_QPS_INIT; attr.qp_state <= IBV_QPS_RTS; attr.qp_state++)
		check(!ibv_modify_qp(s.qp, &attr, datagram_masks[attr.qp_state]), "ibv_modify_qp for a datagram");
	swap_addresses(&s);
	to.grh.dgid = s.there_gid;
	to.grh.sgid_index = (uint8_t)s.gid_index;
	ah = ibv_create_ah(s.pd, &to);
	wanted(ah, "open.c", "the device has no such GID");
	send_one(&s, mr, ah, "open.c");
}

static void step_connect(struct side *s)
{
	make_queue_pair(s);
	wanted(s->cq && s->qp, "connect.c", "no completion queue, or no queue pair");
	swap_addresses(s);
	connect_queue_pair(s);
	wanted(state_of(s) == IBV_QPS_RTS, "connect.c", "the queue pair is not ready to send (RTS)");
	both_are_here();
	if (last == CONNECT)
		send_through_queue_pair(s);
}

static void step_register(struct side *s)
{
	struct place {
		uint64_t address;
		uint32_t rkey;
	} mine = { 0 }, theirs;

	s->buffer = calloc(DEPTH, s->size);
	register_buffer(s);
	wanted(s->mr, "register.c", "no memory region");
	wanted(s->mr->addr == s->buffer && s->mr->length == (size_t)DEPTH * s->size, "register.c",
	       "the region is not all of the buffer: DEPTH messages of s->size bytes");
	mine.address = (uintptr_t)s->buffer;
	mine.rkey = s->mr->rkey;
	swap(&mine, &theirs, sizeof(mine));
	s->there_address = theirs.address;
	s->there_rkey = theirs.rkey;
	if (last == REGISTER)
		send_one(s, s->mr, NULL, "register.c");
}

/* The server looks at its memory, as no server has to: one message comes, and says its number. */
static void await_message(struct side *s)
{
	uint64_t wanted_sum = seed, found = 0;
	int64_t end = now_ns() + 500000000;

	while (memcmp(&found, &wanted_sum, beginning) && now_ns() < end) {
		usleep(1000);
		memcpy(&found, s->buffer, beginning);
	}
	wanted(!memcmp(&found, &wanted_sum, beginning), "write.c",
	       "message 0 did not come to the beginning of the server's buffer within half a second");
}

static void step_write(struct side *s)
{
	both_are_here();
	if (s->is_server)
		await_message(s);
	else
		post_write(s, 0);
	both_are_here();
}

/* Some devices free a request that nobody took the completion of, and others stop when their queue is full. */
static void none_left(struct side *s)
{
	struct ibv_wc wc;

	usleep(5000);
	wanted(ibv_poll_cq(s->cq, 1, &wc) == 0, names[last],
	       "a completion is left: take each with ibv_poll_cq before the time ends, or the queue will be full");
}

static void print_rate(struct side *s, int64_t took_ns)
{
	printf("%u %.6f kB/s\n", s->size, (double)s->size * (double)messages / (double)took_ns * 1e6);
}

static void step_sockets(struct side *s)
{
	s->buffer = calloc(1, s->size);
	both_are_here();
	if (s->is_server)
		answer_over_tcp(s, there);
	else
		print_rate(s, over_tcp(s, there, warmup, messages));
}

static void act(struct side *s)
{
	int64_t took_ns;
	char rest;

	if (last == WRITE)
		step_write(s);
	if (last < POLL)
		return;
	both_are_here();
	if (s->is_server) {
		(void)!read(there, &rest, 1); /* the device does all until the client leaves */
		return;
	}
	took_ns = senders[last](s, warmup, messages);
	none_left(s);
	print_rate(s, took_ns);
}

static const char *word(int argc, char **argv, const char *name, const char *otherwise)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return argv[i + 1];
	return otherwise;
}

static void read_options(int argc, char **argv, struct side *s)
{
	const char *step = word(argc, argv, "--step", "");

	while (last <= SOCKETS && strcmp(names[last], step))
		last++;
	s->device = word(argc, argv, "--device", NULL);
	s->is_server = argc > 1 && !strcmp(argv[1], "--server");
	s->size = (uint32_t)atol(word(argc, argv, "--size", "64"));
	port = word(argc, argv, "--port", port);
	messages = atol(word(argc, argv, "--messages", "100"));
	warmup = atol(word(argc, argv, "--warmup", "0"));
	seed = strtoull(word(argc, argv, "--seed", "0"), NULL, 10);
	beginning = s->size < 8 ? s->size : 8;
	if (last <= SOCKETS && (s->device || last == SOCKETS) && s->size && messages > 0)
		return;
	fprintf(stderr, "usage: program [--server] --step open..sockets --device D --size N [--port P] HOST\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct side s = { 0 };

	read_options(argc, argv, &s);
	if (last != SOCKETS)
		step_open(&s);
	meet(s.is_server, argv[argc - 1]);
	if (last == SOCKETS) {
		step_sockets(&s);
		return 0;
	}
	both_are_here();
	if (last == OPEN)
		send_datagram(s);
	if (last >= CONNECT)
		step_connect(&s);
	if (last >= REGISTER)
		step_register(&s);
	act(&s);
	return 0;
}
