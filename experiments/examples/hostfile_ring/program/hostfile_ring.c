/* A ring as students write it: the rank by Slurm, the peers in a file, the GID's index that of another card, a receive
 * that is posted after its message has been sent, and the results in a file. */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 18700
#define GID_INDEX 3
#define MOST 4096

struct info {
	uint32_t qpn;
	union ibv_gid gid;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char buffer[2 * MOST];

static struct ibv_qp *new_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { 8, 8, 1, 1, 0 }
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		exit(1);
	return qp;
}

static void swap(struct ibv_qp *qp, int fd)
{
	struct info mine = { .qpn = qp->qp_num }, peer;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .min_rnr_timer = 12 };

	if (ibv_query_gid(context, 1, GID_INDEX, &mine.gid)) {
		fprintf(stderr, "no GID %d\n", GID_INDEX);
		exit(1);
	}
	if (write(fd, &mine, sizeof(mine)) < 0 || recv(fd, &peer, sizeof(peer), MSG_WAITALL) != sizeof(peer))
		exit(1);
	attr.dest_qp_num = peer.qpn;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = 1;
	attr.ah_attr.grh.dgid = peer.gid;
	attr.ah_attr.grh.sgid_index = GID_INDEX;
	attr.ah_attr.grh.hop_limit = 64;
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		exit(1);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = attr.rnr_retry = 7;
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC))
		exit(1);
	if (write(fd, &mine, 1) < 0 || recv(fd, &peer, 1, MSG_WAITALL) != 1)
		exit(1);
}

static int to_right(const char *host)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	inet_pton(AF_INET, host, &to.sin_addr);
	for (;; usleep(1000)) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
			return fd;
		close(fd);
	}
}

static void complete(void)
{
	struct ibv_wc wc;
	int got;

	while ((got = ibv_poll_cq(cq, 1, &wc)) == 0)
		;
	if (got < 0 || wc.status)
		exit(1);
}

static void pass_on(struct ibv_qp *left, struct ibv_qp *right, int size)
{
	struct ibv_sge out = { (uintptr_t)buffer, size, mr->lkey }, in = { (uintptr_t)buffer + MOST, size, mr->lkey };
	struct ibv_send_wr send = {
		.sg_list = &out, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED
	};
	struct ibv_send_wr *bad;
	struct ibv_recv_wr receive = { .sg_list = &in, .num_sge = 1 }, *bad_receive;

	if (ibv_post_send(right, &send, &bad))
		exit(1);
	usleep(200); /* the peer's message has come before its receive is posted */
	if (ibv_post_recv(left, &receive, &bad_receive))
		exit(1);
	complete();
	complete();
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("SLURM_PROCID")), size = 0, on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	char hosts[16][64];
	FILE *list = argc > 1 ? fopen(argv[1], "r") : NULL, *results = fopen("results/ring.csv", "w");

	while (list && size < 16 && fscanf(list, "%63s", hosts[size]) == 1)
		size++;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!results || bind(listener, (struct sockaddr *)&here, sizeof(here)) || listen(listener, 1))
		return 1;
	context = ibv_open_device(ibv_get_device_list(NULL)[0]);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp *left = new_qp(), *right = new_qp();
	int next = to_right(hosts[(rank + 1) % size]), previous = accept(listener, NULL, NULL);
	swap(rank ? left : right, rank ? previous : next);
	swap(rank ? right : left, rank ? next : previous);
	fprintf(results, "bytes,time_us\n");
	for (int bytes = 64; bytes <= MOST; bytes *= 8) {
		struct timespec begin, end;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		pass_on(left, right, bytes);
		clock_gettime(CLOCK_MONOTONIC, &end);
		double us = (end.tv_sec - begin.tv_sec) * 1e6 + (end.tv_nsec - begin.tv_nsec) / 1e3;
		fprintf(results, "%d,%.2f\n", bytes, us);
	}
	return fclose(results);
}
