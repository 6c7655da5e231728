/* SEND and back again, with the options and the words of ibv_rc_pingpong: send_pingpong -d dev -g gid [-s size] [-n
 * iters] [server] */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { RECV = 1, SEND = 2, RX_DEPTH = 500 };

struct dest {
	unsigned qpn, psn;
	union ibv_gid gid;
};

static int size = 4096, iters = 1000, gidx = -1;
static char *buf;
static struct ibv_context *ctx;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_qp *qp;

static void die(const char *reason)
{
	fprintf(stderr, "%s\n", reason);
	exit(1);
}

static int post_recv(int n)
{
	struct ibv_sge list = { (uintptr_t)buf, (uint32_t)size, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = RECV, .sg_list = &list, .num_sge = 1 }, *bad_wr;
	int i;

	for (i = 0; i < n; i++)
		if (ibv_post_recv(qp, &wr, &bad_wr))
			break;
	return i;
}

static void post_send(void)
{
	struct ibv_sge list = { (uintptr_t)buf, (uint32_t)size, mr->lkey };
	struct ibv_send_wr wr = { .wr_id = SEND,
				  .sg_list = &list,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad_wr;

	if (ibv_post_send(qp, &wr, &bad_wr))
		die("Couldn't post send");
}

static void init_ctx(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .cap = { 1, RX_DEPTH, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_pd *pd;

	while (*list && strcmp(ibv_get_device_name(*list), name))
		list++;
	if (!*list || !(ctx = ibv_open_device(*list)))
		die("IB device not found");
	pd = ibv_alloc_pd(ctx);
	buf = calloc(1, (size_t)size);
	mr = ibv_reg_mr(pd, buf, (size_t)size, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = cq = ibv_create_cq(ctx, RX_DEPTH + 1, NULL, NULL, 0);
	qp = ibv_create_qp(pd, &init);
	if (!mr || !cq || !qp)
		die("Couldn't create QP");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("Failed to modify QP to INIT");
}

static void connect_ctx(const struct dest *rem, unsigned my_psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = rem->qpn,
		.rq_psn = rem->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .hop_limit = 1, .dgid = rem->gid, .sgid_index = (uint8_t)gidx } }
	};

	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("Failed to modify QP to RTR");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS,
				     .timeout = 14,
				     .retry_cnt = 7,
				     .rnr_retry = 7,
				     .sq_psn = my_psn,
				     .max_rd_atomic = 1 };
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC))
		die("Failed to modify QP to RTS");
}

static int meet(const char *server, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *res;
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

	if (getaddrinfo(server, port, &hints, &res))
		die("Couldn't resolve the server");
	if (server) {
		if (connect(fd, res->ai_addr, res->ai_addrlen))
			die("Couldn't connect");
		return fd;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, res->ai_addr, res->ai_addrlen) || listen(fd, 1))
		die("Couldn't listen");
	return accept(fd, NULL, NULL);
}

int main(int argc, char *argv[])
{
	const char *device = "mlx5_0", *port = "18515", *server;
	struct dest my = { .psn = 0x123 }, rem;
	struct timeval start, end;
	int opt, fd, ne, routs, rcnt = 0, scnt = 0;
	char gid[INET6_ADDRSTRLEN];
	struct ibv_wc wc[2];
	float usec;

	while ((opt = getopt(argc, argv, "p:d:s:n:g:")) != -1) {
		if (opt == 'p')
			port = optarg;
		else if (opt == 'd')
			device = optarg;
		else if (opt == 's')
			size = atoi(optarg);
		else if (opt == 'n')
			iters = atoi(optarg);
		else if (opt == 'g')
			gidx = atoi(optarg);
	}
	server = argv[optind];
	init_ctx(device);
	routs = post_recv(RX_DEPTH);
	if (gidx < 0 || ibv_query_gid(ctx, 1, gidx, &my.gid))
		die("can't read sgid of index");
	my.qpn = qp->qp_num;
	inet_ntop(AF_INET6, &my.gid, gid, sizeof(gid));
	printf("  local address:  QPN 0x%06x, PSN 0x%06x, GID %s\n", my.qpn, my.psn, gid);
	fd = meet(server, port);
	if (write(fd, &my, sizeof(my)) != sizeof(my) || read(fd, &rem, sizeof(rem)) != sizeof(rem))
		die("Couldn't exchange addresses");
	connect_ctx(&rem, my.psn);
	if (write(fd, "done", 4) != 4 || read(fd, gid, 4) != 4)
		die("Couldn't synchronise");

	gettimeofday(&start, NULL);
	if (server)
		post_send();
	while (rcnt < iters || scnt < iters) {
		do
			ne = ibv_poll_cq(cq, 2, wc);
		while (ne < 1);
		for (int i = 0; i < ne; i++) {
			if (wc[i].status != IBV_WC_SUCCESS)
				die(ibv_wc_status_str(wc[i].status));
			if (wc[i].wr_id == SEND) {
				scnt++;
				continue;
			}
			rcnt++;
			if (--routs <= 1)
				routs += post_recv(RX_DEPTH - routs);
			if (!server || rcnt < iters)
				post_send();
		}
	}
	gettimeofday(&end, NULL);
	usec = (float)((end.tv_sec - start.tv_sec) * 1000000 + (end.tv_usec - start.tv_usec));
	printf("%lld bytes in %.2f seconds = %.2f Mbit/sec\n", (long long)size * iters * 2, usec / 1000000.,
	       (double)size * iters * 2 * 8. / usec);
	printf("%d iters in %.2f seconds = %.2f usec/iter\n", iters, usec / 1000000., usec / (float)iters);
	return 0;
}
