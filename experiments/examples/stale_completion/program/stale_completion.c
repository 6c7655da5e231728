/* A request and its reply, both by SEND, with a race: see race(). stale_completion -p port -d dev -g gid [-n rounds]
 * [server] */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 1024, SIZE = 64, WAIT_US = 3000, NAP_US = 20 };

struct dest {
	unsigned qpn;
	union ibv_gid gid;
};

static long request[SIZE / sizeof(long)], reply[SIZE / sizeof(long)];
static struct ibv_context *ctx;
static struct ibv_mr *request_mr, *reply_mr;
static struct ibv_cq *cq;
static struct ibv_qp *qp;

static void die(const char *reason)
{
	fprintf(stderr, "%s\n", reason);
	exit(1);
}

static void post_recv(struct ibv_mr *mr)
{
	struct ibv_sge list = { (uintptr_t)mr->addr, SIZE, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &list, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp, &wr, &bad))
		die("cannot post a receive");
}

static void post_send(struct ibv_mr *mr, unsigned flags)
{
	struct ibv_sge list = { (uintptr_t)mr->addr, SIZE, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &list, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags }, *bad;

	if (ibv_post_send(qp, &wr, &bad))
		die("cannot post a send");
}

/* Wait for any completion: here is what the race needs, since nobody looks at wc.opcode. */
static void wait_for_completion(void)
{
	struct ibv_wc wc;

	while (!ibv_poll_cq(cq, 1, &wc))
		usleep(NAP_US);
	if (wc.status != IBV_WC_SUCCESS)
		die(ibv_wc_status_str(wc.status));
}

/* One round of the client. The completion of the send has always come after WAIT_US, so one poll removes it, and the
 * next completion is that of the reply. But if the request is lost and sent again, the poll finds nothing, and the late
 * completion of the send is taken for that of the reply, which is not here yet. */
static void race(long round)
{
	struct ibv_wc wc;

	request[0] = round;
	post_recv(reply_mr);
	post_send(request_mr, IBV_SEND_SIGNALED);
	usleep(WAIT_US);
	ibv_poll_cq(cq, 1, &wc);
	wait_for_completion();
	if (reply[0] != round) {
		fprintf(stderr, "round %ld: the reply is that of round %ld\n", round, reply[0]);
		exit(1);
	}
}

static void answer(void)
{
	wait_for_completion(); /* only receives are signalled here */
	reply[0] = request[0];
	post_recv(request_mr);
	post_send(reply_mr, 0);
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .cap = { DEPTH, DEPTH, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_pd *pd;

	while (*list && strcmp(ibv_get_device_name(*list), name))
		list++;
	if (!*list || !(ctx = ibv_open_device(*list)) || !(pd = ibv_alloc_pd(ctx)))
		die("cannot open the device");
	request_mr = ibv_reg_mr(pd, request, SIZE, IBV_ACCESS_LOCAL_WRITE);
	reply_mr = ibv_reg_mr(pd, reply, SIZE, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = cq = ibv_create_cq(ctx, 2 * DEPTH, NULL, NULL, 0);
	if (!request_mr || !reply_mr || !cq || !(qp = ibv_create_qp(pd, &init)))
		die("cannot make a queue pair");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("cannot go to INIT");
}

static void connect_to(const struct dest *peer, int gid)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qpn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .hop_limit = 1, .dgid = peer->gid, .sgid_index = (uint8_t)gid } }
	};

	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("cannot go to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1
	};
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC))
		die("cannot go to RTS");
}

static int meet(const char *server, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

	if (server) {
		if (!inet_aton(server, &at.sin_addr) || connect(fd, (struct sockaddr *)&at, sizeof(at)))
			die("cannot connect");
		return fd;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
		die("cannot listen");
	return accept(fd, NULL, NULL);
}

static void exchange(int fd, const void *mine, void *peers, size_t size)
{
	if (write(fd, mine, size) != (ssize_t)size || recv(fd, peers, size, MSG_WAITALL) != (ssize_t)size)
		die("the other end is gone");
}

int main(int argc, char *argv[])
{
	struct timespec start, end;
	int opt, fd, port = 0, gid = 0;
	const char *device = "";
	struct dest my, peer;
	long rounds = 32;

	while ((opt = getopt(argc, argv, "p:d:g:n:")) != -1) {
		if (opt == 'p')
			port = atoi(optarg);
		else if (opt == 'd')
			device = optarg;
		else if (opt == 'g')
			gid = atoi(optarg);
		else
			rounds = atol(optarg);
	}
	open_device(device);
	if (ibv_query_gid(ctx, 1, gid, &my.gid))
		die("cannot read the GID");
	my.qpn = qp->qp_num;
	fd = meet(argv[optind], port);
	exchange(fd, &my, &peer, sizeof(my));
	connect_to(&peer, gid);
	if (!argv[optind])
		post_recv(request_mr);
	exchange(fd, "done", &my, 4);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long round = 1; round <= rounds; round++)
		argv[optind] ? race(round) : answer();
	clock_gettime(CLOCK_MONOTONIC, &end);
	exchange(fd, "over", &my, 4);
	printf("%d %.3f usec\n", SIZE,
	       ((double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3) /
		       (double)rounds);
	return 0;
}
