/* RDMA READ, one after the other or several at once, with the peer's LID as on InfiniBand:
 * read_rate -d dev -p port [-s size] [-n count] [-o outstanding] [server] */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct info {
	uint32_t qpn, rkey;
	uint64_t addr;
	uint16_t lid;
};

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		if (!(x)) {                                                                                            \
			perror(#x);                                                                                    \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static int port = 7000, count = 1000, outstanding = 1;
static uint32_t size = 4096;
static const char *device = "mlx5_0";
static struct ibv_qp *qp;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char *memory;

static struct info create(void)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC };
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = (unsigned)access };
	struct ibv_port_attr state;
	struct ibv_pd *pd;

	for (int i = 0; devices[i]; i++)
		if (!strcmp(ibv_get_device_name(devices[i]), device))
			context = ibv_open_device(devices[i]);
	CHECK(context);
	CHECK(pd = ibv_alloc_pd(context));
	CHECK(memory = aligned_alloc(4096, (size + 4095) & ~4095U));
	CHECK(mr = ibv_reg_mr(pd, memory, size, access));
	CHECK(cq = ibv_create_cq(context, outstanding, NULL, NULL, 0));
	init.send_cq = init.recv_cq = cq;
	init.cap = (struct ibv_qp_cap){ (uint32_t)outstanding, 1, 1, 1, 0 };
	CHECK(qp = ibv_create_qp(pd, &init));
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	CHECK(!ibv_query_port(context, 1, &state));
	CHECK(state.lid);
	return (struct info){ qp->qp_num, mr->rkey, (uintptr_t)memory, state.lid };
}

static void join(const struct info *other)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_2048,
				    .dest_qp_num = other->qpn,
				    .max_dest_rd_atomic = 16,
				    .min_rnr_timer = 12 };

	attr.ah_attr.port_num = 1;
	attr.ah_attr.dlid = other->lid;
	CHECK(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 16
	};
	CHECK(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC));
}

static int side(const char *server)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (server) {
		CHECK(inet_pton(AF_INET, server, &addr.sin_addr) == 1);
		CHECK(!connect(s, (struct sockaddr *)&addr, sizeof(addr)));
		return s;
	}
	CHECK(!setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	CHECK(!bind(s, (struct sockaddr *)&addr, sizeof(addr)));
	CHECK(!listen(s, 1));
	return accept(s, NULL, NULL);
}

static void read_remote(const struct info *other)
{
	struct ibv_sge sge = { (uintptr_t)memory, size, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED
	};
	struct ibv_send_wr *bad;
	struct timespec begin, end;
	struct ibv_wc wc;
	double ns;
	int posted = 0;

	wr.wr.rdma.remote_addr = other->addr;
	wr.wr.rdma.rkey = other->rkey;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int done = 0; done < count;) {
		for (; posted < count && posted - done < outstanding; posted++)
			CHECK(!ibv_post_send(qp, &wr, &bad));
		int n = ibv_poll_cq(cq, 1, &wc);

		CHECK(n >= 0 && (n == 0 || wc.status == IBV_WC_SUCCESS));
		done += n;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	ns = 1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
	fprintf(stderr, "READ: %d times, avg. %.1f MiB/s, %.3f Mops\n", count,
		(double)size * count / ns * 1e9 / (1 << 20), count / ns * 1e3);
}

int main(int argc, char **argv)
{
	struct info mine, other;
	int c, s;

	while ((c = getopt(argc, argv, "d:p:s:n:o:")) != -1) {
		if (c == 'd')
			device = optarg;
		else if (c == 'p')
			port = atoi(optarg);
		else if (c == 's')
			size = (uint32_t)atoi(optarg);
		else if (c == 'n')
			count = atoi(optarg);
		else if (c == 'o')
			outstanding = atoi(optarg);
		else
			return 2;
	}
	mine = create();
	s = side(argv[optind]);
	CHECK(send(s, &mine, sizeof(mine), 0) == sizeof(mine) &&
	      recv(s, &other, sizeof(other), MSG_WAITALL) == sizeof(other));
	join(&other);
	CHECK(send(s, "", 1, 0) == 1 && recv(s, &c, 1, 0) == 1);
	if (argv[optind])
		read_remote(&other);
	else
		pause(); /* its memory must stay; end it with Ctrl-C */
	return 0;
}
