#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_NZ(x)                                                                                                     \
	do {                                                                                                           \
		if ((x))                                                                                               \
			die("error: " #x " failed (returned non-zero).");                                              \
	} while (0)
#define TEST_Z(x)                                                                                                      \
	do {                                                                                                           \
		if (!(x))                                                                                              \
			die("error: " #x " failed (returned zero/null).");                                             \
	} while (0)

#define DEFAULT_PORT "20079"
#define MESSAGE_SIZE 64
#define MESSAGES 1000

/* What both ends have of one connection. */
struct connection {
	struct rdma_cm_id *id;
	struct ibv_comp_channel *comp_channel;
	struct ibv_cq *cq;
	struct ibv_mr *recv_mr, *send_mr;
	char recv_region[MESSAGE_SIZE], send_region[MESSAGE_SIZE];
};

static inline void die(const char *reason)
{
	fprintf(stderr, "%s\n", reason);
	exit(EXIT_FAILURE);
}

static inline void post_receive(struct connection *conn)
{
	struct ibv_sge sge = { (uintptr_t)conn->recv_region, MESSAGE_SIZE, conn->recv_mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad_wr;

	TEST_NZ(ibv_post_recv(conn->id->qp, &wr, &bad_wr));
}

static inline void post_send(struct connection *conn)
{
	struct ibv_sge sge = { (uintptr_t)conn->send_region, MESSAGE_SIZE, conn->send_mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED
	};
	struct ibv_send_wr *bad_wr;

	TEST_NZ(ibv_post_send(conn->id->qp, &wr, &bad_wr));
}

/* Sleeps until something is complete, then takes all that is: the number of received messages. */
static inline int await_completions(struct connection *conn)
{
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *ctx;
	int received = 0;

	TEST_NZ(ibv_get_cq_event(conn->comp_channel, &cq, &ctx));
	ibv_ack_cq_events(cq, 1);
	TEST_NZ(ibv_req_notify_cq(cq, 0));
	while (ibv_poll_cq(cq, 1, &wc)) {
		if (wc.status != IBV_WC_SUCCESS)
			die("await_completions: status is not IBV_WC_SUCCESS.");
		received += !!(wc.opcode & IBV_WC_RECV);
	}
	return received;
}

static inline struct connection *build_connection(struct rdma_cm_id *id)
{
	struct connection *conn = calloc(1, sizeof(*conn));
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 10, 10, 1, 1, 0 } };
	struct ibv_pd *pd;

	TEST_Z(pd = ibv_alloc_pd(id->verbs));
	TEST_Z(conn->comp_channel = ibv_create_comp_channel(id->verbs));
	TEST_Z(conn->cq = ibv_create_cq(id->verbs, 20, NULL, conn->comp_channel, 0));
	TEST_NZ(ibv_req_notify_cq(conn->cq, 0));
	attr.send_cq = attr.recv_cq = conn->cq;
	TEST_NZ(rdma_create_qp(id, pd, &attr));
	conn->id = id;
	TEST_Z(conn->recv_mr = ibv_reg_mr(pd, conn->recv_region, MESSAGE_SIZE, IBV_ACCESS_LOCAL_WRITE));
	TEST_Z(conn->send_mr = ibv_reg_mr(pd, conn->send_region, MESSAGE_SIZE, 0));
	post_receive(conn);
	return id->context = conn;
}
