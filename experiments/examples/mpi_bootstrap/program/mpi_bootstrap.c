/* RDMA WRITE between two ranks that find each other by MPI: mpirun -np 2 ./mpi_bootstrap */
#include <infiniband/verbs.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_SIZE (256 * 1024)
#define WINDOW 64
#define ITERS 256

struct qp_info {
	uint32_t qp_num, rkey;
	uint64_t addr;
	union ibv_gid gid;
};

static struct ibv_context *context;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static char *buffer;
static int rank, gid_index;

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rank %d: %s failed\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The last GID of the first port that is an IPv4 address: the one of RoCE v2, where there is one of RoCE v1 too. */
static void choose_gid(union ibv_gid *gid)
{
	struct ibv_port_attr port;
	union ibv_gid each;

	check(!ibv_query_port(context, 1, &port), "ibv_query_port");
	for (int i = 0; i < port.gid_tbl_len; i++)
		if (!ibv_query_gid(context, 1, i, &each) && each.raw[10] == 0xff && each.raw[11] == 0xff) {
			gid_index = i;
			*gid = each;
		}
}

static void setup(struct qp_info *local)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .cap = { WINDOW, 1, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = (unsigned)access };
	struct ibv_pd *pd;

	check(devices && devices[0], "looking for a device");
	check((context = ibv_open_device(devices[0])) != NULL, "ibv_open_device");
	check((pd = ibv_alloc_pd(context)) != NULL, "ibv_alloc_pd");
	buffer = malloc(BUF_SIZE);
	memset(buffer, rank, BUF_SIZE);
	check((mr = ibv_reg_mr(pd, buffer, BUF_SIZE, access)) != NULL, "ibv_reg_mr");
	check((cq = ibv_create_cq(context, WINDOW, NULL, NULL, 0)) != NULL, "ibv_create_cq");
	init.send_cq = init.recv_cq = cq;
	check((qp = ibv_create_qp(pd, &init)) != NULL, "ibv_create_qp");
	check(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
	*local = (struct qp_info){ qp->qp_num, mr->rkey, (uintptr_t)buffer, { { 0 } } };
	choose_gid(&local->gid);
}

static void connect_to(const struct qp_info *remote)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_4096,
				    .dest_qp_num = remote->qp_num,
				    .max_dest_rd_atomic = 1,
				    .min_rnr_timer = 12 };

	attr.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	attr.ah_attr.grh =
		(struct ibv_global_route){ .dgid = remote->gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64 };
	check(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	      "RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1
	};
	check(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC),
	      "RTS");
}

/* Fills the window, drains it, and again. */
static double write_all(const struct qp_info *remote, uint32_t size)
{
	struct ibv_sge sge = { (uintptr_t)buffer, size, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	double start = MPI_Wtime();

	wr.wr.rdma.remote_addr = remote->addr;
	wr.wr.rdma.rkey = remote->rkey;
	for (int sent = 0; sent < ITERS; sent += WINDOW) {
		for (int i = 0; i < WINDOW; i++)
			check(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
		for (int done = 0; done < WINDOW;) {
			int n = ibv_poll_cq(cq, 1, &wc);

			check(n >= 0 && (!n || wc.status == IBV_WC_SUCCESS), "ibv_poll_cq");
			done += n;
		}
	}
	return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
	struct qp_info local, remote;
	int ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	check(ranks == 2, "starting two ranks");
	setup(&local);
	MPI_Sendrecv(&local, sizeof(local), MPI_BYTE, 1 - rank, 0, &remote, sizeof(remote), MPI_BYTE, 1 - rank, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	connect_to(&remote);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		printf("%12s %14s %14s\n", "size (KB)", "time (us)", "MB/s");
		for (uint32_t size = 1024; size <= BUF_SIZE; size *= 4) {
			double seconds = write_all(&remote, size);

			printf("%12u %14.2f %14.2f\n", size / 1024, seconds * 1e6,
			       (double)size * ITERS / seconds / 1e6);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
