/* Two connected queue pairs with one completion queue, and the requests that the ring posts to them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"

/* How a computer reaches a queue pair of another. */
struct address {
	union ibv_gid gid;
	uint32_t qp;
};

static void open_device(struct ring *r)
{
	const char *name = r->setting->device;
	struct ibv_device **list = ibv_get_device_list(NULL);

	check(list, "ibv_get_device_list");
	for (int i = 0; list[i] && !r->context; i++)
		if (!name || strcmp(ibv_get_device_name(list[i]), name) == 0)
			r->context = ibv_open_device(list[i]);
	check(r->context, name ? name : "no RDMA device");
	ibv_free_device_list(list);
}

static struct ibv_mr *registered(const struct ring *r, void *at, size_t bytes)
{
	struct ibv_mr *mr = ibv_reg_mr(r->pd, at, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	check(mr, "ibv_reg_mr");
	return mr;
}

static struct ibv_qp *made_queue_pair(const struct ring *r)
{
	struct ibv_qp_init_attr attr = { .send_cq = r->cq,
					 .recv_cq = r->cq,
					 .qp_type = IBV_QPT_RC,
					 .cap = { DEPTH, (uint32_t)r->slot_count + 2, 1, 1, 16 } };
	struct ibv_qp *qp = ibv_create_qp(r->pd, &attr);

	check(qp, "ibv_create_qp");
	return qp;
}

static void post_grant_receive(struct ring *r, const struct grant *to)
{
	struct ibv_sge sge = { (uintptr_t)to, sizeof(*to), r->grants_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = GRANTED, .sg_list = &sge, .num_sge = 1 }, *bad;

	check(!ibv_post_recv(r->out, &wr, &bad), "ibv_post_recv");
}

void verbs_open(struct ring *r)
{
	open_device(r);
	r->pd = ibv_alloc_pd(r->context);
	r->channel = ibv_create_comp_channel(r->context);
	r->cq = ibv_create_cq(r->context, 2 * DEPTH + 2 * (int)r->slot_count, NULL, r->channel, 0);
	check(r->pd && r->cq && !ibv_req_notify_cq(r->cq, 0), "ibv_create_cq");
	r->slots = calloc(r->slot_count, r->slot_bytes);
	check(r->slots, "calloc");
	r->slots_mr = registered(r, r->slots, r->slot_count * r->slot_bytes);
	r->sum_mr = registered(r, r->setting->sum, r->setting->most * sizeof(uint32_t));
	r->grants_mr = registered(r, r->grants, sizeof(r->grants));
	r->out = made_queue_pair(r);
	r->in = made_queue_pair(r);
}

static int choose_gid(const struct ring *r, union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }; /* an IPv4 address */

	for (int index = r->setting->gid < 0 ? 0 : r->setting->gid;; index++) {
		check(!ibv_query_gid(r->context, 1, index, gid), "ibv_query_gid");
		if (r->setting->gid >= 0 || memcmp(gid->raw, mapped, sizeof(mapped)) == 0)
			return index;
	}
}

static void modify(const struct ring *r, struct ibv_qp *qp, const struct address *to, int gid_index)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR, .dest_qp_num = to->qp, .min_rnr_timer = 12 };
	/* 18 is 1.07 s. Seven retries would be the most, but to Soft-RoCE in Linux 6.1 they mean for ever. */
	struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 6, .rnr_retry = 7 };
	struct ibv_port_attr port;

	check(!ibv_query_port(r->context, 1, &port), "ibv_query_port");
	receive.path_mtu = port.active_mtu;
	receive.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1, .dlid = 0 };
	receive.ah_attr.grh =
		(struct ibv_global_route){ .dgid = to->gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64 };
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

void verbs_connect(struct ring *r)
{
	struct address out = { .qp = r->out->qp_num }, in = { .qp = r->in->qp_num }, previous, next;
	const int gid_index = choose_gid(r, &out.gid);

	in.gid = out.gid;
	bootstrap_pass(r->next, &out, r->previous, &previous, sizeof(out));
	bootstrap_pass(r->previous, &in, r->next, &next, sizeof(in));
	modify(r, r->in, &previous, gid_index);
	modify(r, r->out, &next, gid_index);
	for (size_t i = 0; i < r->slot_count; i++)
		verbs_post_receive(r);
	for (int i = 0; i < 2; i++)
		post_grant_receive(r, &r->grants[i]);
	bootstrap_barrier(r); /* a message to a queue pair that is not ready would be sent again after a second */
}

void verbs_post_receive(struct ring *r)
{
	char *slot = r->slots + r->posted++ % r->slot_count * r->slot_bytes;
	struct ibv_sge sge = { (uintptr_t)slot, (uint32_t)r->slot_bytes, r->slots_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = RECEIVED, .sg_list = &sge, .num_sge = 1 }, *bad;

	check(!ibv_post_recv(r->in, &wr, &bad), "ibv_post_recv");
}

static void post(struct ibv_qp *qp, struct ibv_send_wr wr, struct ibv_sge sge)
{
	struct ibv_send_wr *bad;

	wr.sg_list = &sge;
	wr.num_sge = sge.length > 0; /* a length of 0 would mean 2^31 */
	wr.send_flags |= IBV_SEND_SIGNALED;
	check(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
}

void verbs_send(struct ring *r, const void *from, size_t bytes)
{
	post(r->out, (struct ibv_send_wr){ .wr_id = SENT, .opcode = IBV_WR_SEND },
	     (struct ibv_sge){ (uintptr_t)from, (uint32_t)bytes, r->sum_mr->lkey });
}

void verbs_write(struct ring *r, const void *from, size_t bytes, const struct grant *to)
{
	post(r->out,
	     (struct ibv_send_wr){
		     .wr_id = SENT, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .wr.rdma = { to->address, to->key } },
	     (struct ibv_sge){ (uintptr_t)from, (uint32_t)bytes, r->sum_mr->lkey });
}

void verbs_grant(struct ring *r, const void *at, const struct ibv_mr *mr)
{
	const struct grant grant = { .address = (uintptr_t)at, .key = mr->rkey };

	post(r->in, (struct ibv_send_wr){ .wr_id = GRANT_SENT, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE },
	     (struct ibv_sge){ (uintptr_t)&grant, sizeof(grant), 0 });
}

struct grant verbs_take_grant(struct ring *r)
{
	const unsigned long number = r->granted++;
	struct grant grant;

	while (r->done[GRANTED] <= number)
		verbs_complete(r);
	grant = r->grants[number % 2];
	post_grant_receive(r, &r->grants[number % 2]);
	return grant;
}

static void sleep_until_event(const struct ring *r)
{
	struct ibv_cq *cq;
	void *nothing;

	check(!ibv_get_cq_event(r->channel, &cq, &nothing), "ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
	check(!ibv_req_notify_cq(cq, 0), "ibv_req_notify_cq"); /* before it looks again: none is missed */
}

void verbs_complete(struct ring *r)
{
	struct ibv_wc wc[16];
	int count;

	while ((count = ibv_poll_cq(r->cq, 16, wc)) == 0)
		if (!r->setting->polls)
			sleep_until_event(r);
	check(count > 0, "ibv_poll_cq");
	for (int i = 0; i < count; i++) {
		check(wc[i].status == IBV_WC_SUCCESS, ibv_wc_status_str(wc[i].status));
		r->done[wc[i].wr_id]++;
	}
}

void verbs_close(struct ring *r)
{
	bootstrap_barrier(r); /* the others may still wait for an acknowledgement */
	ibv_destroy_qp(r->out);
	ibv_destroy_qp(r->in);
	ibv_dereg_mr(r->grants_mr);
	ibv_dereg_mr(r->sum_mr);
	ibv_dereg_mr(r->slots_mr);
	ibv_destroy_cq(r->cq);
	ibv_destroy_comp_channel(r->channel);
	ibv_dealloc_pd(r->pd);
	ibv_close_device(r->context);
	free(r->slots);
	close(r->next);
	close(r->previous);
}
