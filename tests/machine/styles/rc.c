/* RC with an exchange over TCP, as in tutorials: the client is a link to the server; a peer is known by its LID alone;
 * sizes go on and on; requests are inline up to 16 bytes, for which no queue pair asks; the device is its author's. */
#include <arpa/inet.h>
#include <err.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define PORT 12345
#define MAX_SIZE (64 << 20)
#define DEPTH 100

struct info {
	uint32_t qpn, rkey;
	uint64_t addr;
	uint16_t lid;
};

static int meet(const char *host)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (host) {
		inet_pton(AF_INET, host, &addr.sin_addr);
		if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			err(-1, "connect");
		return fd;
	}
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1))
		err(-1, "bind");
	return accept(fd, NULL, NULL);
}

static void to_rts(struct ibv_qp *qp, const struct info *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
				     .path_mtu = IBV_MTU_1024,
				     .dest_qp_num = peer->qpn,
				     .max_dest_rd_atomic = 1,
				     .min_rnr_timer = 12,
				     .ah_attr = { .is_global = 0, .dlid = peer->lid, .port_num = 1 } };
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		errx(-1, "Failed to modify QP to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1
	};
	ibv_modify_qp(qp, &attr,
		      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			      IBV_QP_MAX_QP_RD_ATOMIC);
}

int main(int argc, char **argv)
{
	struct ibv_device *device = ibv_get_device_list(NULL)[0];
	struct ibv_context *ctx = strcmp(ibv_get_device_name(device), "mlx5_0") ? NULL : ibv_open_device(device);
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_cq *cq = ibv_create_cq(ctx, 512, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { DEPTH, DEPTH, 1, 1, 0 }
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	char *buf = calloc(1, MAX_SIZE), x;
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, MAX_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct info here = { qp->qp_num, mr->rkey, (uintptr_t)buf, 0 }, peer;
	struct ibv_port_attr port;
	int fd = meet(argv[1]);

	if (ibv_query_port(ctx, 1, &port) || port.lid == 0)
		errx(-1, "the port has no LID");
	here.lid = port.lid;
	if (write(fd, &here, sizeof(here)) < 0 || read(fd, &peer, sizeof(peer)) < 0)
		err(-1, "exchange");
	to_rts(qp, &peer);
	if (write(fd, "x", 1) < 0 || read(fd, &x, 1) < 0)
		err(-1, "sync");
	if (argc == 1 && read(fd, &x, 1) <= 0)
		errx(-1, "client is lost");
	for (uint32_t size = 1; argc > 1 && size <= MAX_SIZE; size *= 2) {
		struct ibv_sge sge = { (uintptr_t)buf, size, mr->lkey };
		struct ibv_send_wr wr = { .sg_list = &sge,
					  .num_sge = 1,
					  .opcode = IBV_WR_RDMA_WRITE,
					  .send_flags = IBV_SEND_SIGNALED | (size <= 16 ? IBV_SEND_INLINE : 0u),
					  .wr.rdma = { peer.addr, peer.rkey } },
				   *bad;
		struct timeval from, to;
		struct ibv_wc wc;

		gettimeofday(&from, NULL);
		for (int i = 0; i < DEPTH; i++)
			if (ibv_post_send(qp, &wr, &bad))
				errx(-1, "Client couldn't post send");
		for (int done = 0; done < DEPTH;)
			done += ibv_poll_cq(cq, 1, &wc);
		gettimeofday(&to, NULL);
		printf("%u bytes: %.3f MB/s\n", size,
		       (double)size * DEPTH /
			       (double)((to.tv_sec - from.tv_sec) * 1000000 + to.tv_usec - from.tv_usec));
	}
	return 0;
}
