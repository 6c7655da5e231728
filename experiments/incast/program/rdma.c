/* A queue pair for each sender, which writes its block to its place at the receiver. */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incast.h"

/* How an end reaches a queue pair of another, and where it may write. */
struct place {
	union ibv_gid gid;
	uint64_t address;
	uint32_t qp, key;
};

static const struct setting *setting;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qps[SENDERS];
static struct place there; /* of a sender: rank 0 */

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	check(list, "ibv_get_device_list");
	for (int i = 0; list[i] && !context; i++)
		if (strcmp(ibv_get_device_name(list[i]), setting->device) == 0)
			context = ibv_open_device(list[i]);
	check(context, setting->device);
	ibv_free_device_list(list);
	pd = ibv_alloc_pd(context);
	channel = ibv_create_comp_channel(context);
	cq = ibv_create_cq(context, 4 * SENDERS, NULL, channel, 0);
	check(pd && channel && cq && !ibv_req_notify_cq(cq, 0), "ibv_create_cq");
	mr = ibv_reg_mr(pd, setting->blocks, (size_t)setting->peers * setting->most,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	check(mr, "ibv_reg_mr");
}

static struct ibv_qp *new_queue_pair(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { 2, 2, 1, 1, 0 }
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);

	check(qp, "ibv_create_qp");
	return qp;
}

static void connect_queue_pair(struct ibv_qp *qp, const struct place *to)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR, .dest_qp_num = to->qp, .min_rnr_timer = 12 };
	struct ibv_qp_attr send = {
		.qp_state = IBV_QPS_RTS, .timeout = (uint8_t)setting->timeout, .retry_cnt = 7, .rnr_retry = 7
	};
	struct ibv_port_attr port;

	check(!ibv_query_port(context, 1, &port), "ibv_query_port");
	receive.path_mtu = port.active_mtu;
	receive.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	receive.ah_attr.grh =
		(struct ibv_global_route){ .dgid = to->gid, .sgid_index = (uint8_t)setting->gid, .hop_limit = 64 };
	check(!ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "init");
	check(!ibv_modify_qp(qp, &receive,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	      "ready to receive");
	check(!ibv_modify_qp(qp, &send,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC),
	      "ready to send");
}

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_recv_wr wr = { .wr_id = (uintptr_t)qp }, *bad;

	check(!ibv_post_recv(qp, &wr, &bad), "ibv_post_recv");
}

/* Rank 0 is ready to receive first: a sender gets its place afterwards. */
static void meet(int i)
{
	struct place here = { .address = (uintptr_t)setting->blocks + (size_t)i * setting->most, .key = mr->rkey };
	const int s = setting->sockets[i];

	qps[i] = new_queue_pair();
	here.qp = qps[i]->qp_num;
	check(!ibv_query_gid(context, 1, setting->gid, &here.gid), "ibv_query_gid");
	check(write(s, &here, sizeof(here)) == sizeof(here), "write");
	check(recv(s, &there, sizeof(there), MSG_WAITALL) == sizeof(there), "a peer has gone");
	connect_queue_pair(qps[i], &there);
	post_receive(qps[i]);
	check(write(s, "r", 1) == 1 && recv(s, &here, 1, 0) == 1, "a peer has gone"); /* both are ready */
}

void transfer_connect(struct setting *s)
{
	setting = s;
	open_device();
	for (int i = 0; i < setting->peers; i++)
		meet(i);
}

static void post(struct ibv_qp *qp, enum ibv_wr_opcode opcode, size_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)setting->blocks, (uint32_t)bytes, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = bytes > 0,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { there.address, there.key } },
			   *bad;

	check(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
}

static void sleep_until_event(void)
{
	struct ibv_cq *of;
	void *nothing;

	check(!ibv_get_cq_event(channel, &of, &nothing), "ibv_get_cq_event");
	ibv_ack_cq_events(of, 1);
	check(!ibv_req_notify_cq(of, 0), "ibv_req_notify_cq");
}

/* Waits for so many completions. A message that arrived leaves a receive request to post again. */
static void complete(int left)
{
	struct ibv_wc wc;
	int count;

	while (left) {
		count = ibv_poll_cq(cq, 1, &wc);
		check(count >= 0, "ibv_poll_cq");
		if (!count) {
			sleep_until_event();
			continue;
		}
		check(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
		if (wc.opcode & IBV_WC_RECV)
			post_receive((struct ibv_qp *)(uintptr_t)wc.wr_id);
		left--;
	}
}

void transfer_collect(size_t size)
{
	(void)size;
	for (int i = 0; i < setting->senders; i++)
		post(qps[i], IBV_WR_SEND, 0);
	complete(2 * setting->senders); /* each question, and each block */
}

void transfer_answer(size_t size)
{
	complete(1);
	post(qps[0], IBV_WR_RDMA_WRITE_WITH_IMM, size);
	complete(1);
}
