/* RDMA WRITE bandwidth, one size after the other, as the tables of perftest look: loop_of_sizes [options] [server] */
#include <arpa/inet.h>
#include <err.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define MAX_SIZE 65536
#define DEPTH 32

struct dest {
	uint32_t qpn, rkey;
	uint64_t addr;
	union ibv_gid gid;
};

static struct ibv_context *ctx;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static char *buf;

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (; *list && !ctx; list++)
		if (!name || strcmp(ibv_get_device_name(*list), name) == 0)
			ctx = ibv_open_device(*list);
	if (!ctx)
		errx(1, "IB device not found");
}

static void init_resources(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { DEPTH, 1, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	buf = aligned_alloc(4096, MAX_SIZE);
	memset(buf, 'x', MAX_SIZE);
	mr = ibv_reg_mr(pd, buf, MAX_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	init.send_cq = init.recv_cq = cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0);
	qp = ibv_create_qp(pd, &init);
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		errx(1, "failed to modify QP to INIT");
}

static int tcp_socket(const char *server, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *res;
	int fd, on = 1;

	if (getaddrinfo(server, port, &hints, &res))
		errx(1, "no such host: %s", server);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (server && connect(fd, res->ai_addr, res->ai_addrlen))
		err(1, "couldn't connect to %s:%s", server, port);
	if (server)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, res->ai_addr, res->ai_addrlen) || listen(fd, 1))
		err(1, "couldn't listen to port %s", port);
	return accept(fd, NULL, NULL);
}

static void connect_qp(const struct dest *there, int gidx)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = there->qpn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = there->gid, .sgid_index = (uint8_t)gidx, .hop_limit = 1 } }
	};

	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		errx(1, "failed to modify QP to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1
	};
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC))
		errx(1, "failed to modify QP to RTS");
}

static void run_iter(const struct dest *there, uint32_t size, int iters)
{
	struct ibv_sge sge = { (uintptr_t)buf, size, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { there->addr, there->rkey } },
			   *bad;
	struct ibv_wc wc[DEPTH];
	struct timeval start, end;
	double seconds;
	int posted = 0, done = 0, n;

	gettimeofday(&start, NULL);
	while (done < iters) {
		for (; posted < iters && posted - done < DEPTH; posted++)
			if (ibv_post_send(qp, &wr, &bad))
				err(1, "couldn't post send");
		n = ibv_poll_cq(cq, DEPTH, wc);
		for (int i = 0; i < n; i++)
			if (wc[i].status != IBV_WC_SUCCESS)
				errx(1, "completion with status %s", ibv_wc_status_str(wc[i].status));
		done += n;
	}
	gettimeofday(&end, NULL);
	seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_usec - start.tv_usec) * 1e-6;
	printf(" %-7u    %-10d       %-7.2f            %-7.3f\n", size, iters, 8e-9 * size * iters / seconds,
	       1e-6 * iters / seconds);
}

int main(int argc, char **argv)
{
	const char *port = "18515", *device = NULL, *server;
	struct dest here = { 0 }, there;
	int opt, fd, gidx = 0, iters = 1000;

	while ((opt = getopt(argc, argv, "d:x:p:n:")) != -1)
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 'x':
			gidx = atoi(optarg);
			break;
		case 'p':
			port = optarg;
			break;
		case 'n':
			iters = atoi(optarg);
			break;
		default:
			errx(1, "usage: %s [-d dev] [-x gid index] [-p port] [-n iters] [server]", argv[0]);
		}
	server = argv[optind];
	open_device(device);
	init_resources();
	fd = tcp_socket(server, port);
	here = (struct dest){ qp->qp_num, mr->rkey, (uintptr_t)buf, { { 0 } } };
	ibv_query_gid(ctx, 1, gidx, &here.gid);
	if (write(fd, &here, sizeof(here)) != sizeof(here) || read(fd, &there, sizeof(there)) != sizeof(there))
		err(1, "couldn't exchange addresses");
	connect_qp(&there, gidx);
	if (write(fd, "x", 1) != 1 || read(fd, &opt, 1) != 1)
		err(1, "couldn't synchronise");
	if (server) {
		printf(" #bytes     #iterations    BW average[Gb/sec]   MsgRate[Mpps]\n");
		for (uint32_t size = 2; size <= MAX_SIZE; size *= 2)
			run_iter(&there, size, iters);
		return write(fd, "x", 1) != 1;
	}
	return read(fd, &opt, 1) != 1;
}
