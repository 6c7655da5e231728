/* Step 2: a reliable connection (IBV_QPT_RC) between the two ends. */
#include "course.h"

void make_queue_pair(struct side *s)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { DEPTH, 1, 1, 1, INLINE_MOST } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	s->cq = ibv_create_cq(s->context, DEPTH, NULL, NULL, 0);
	check(s->cq, "ibv_create_cq");
	init.send_cq = init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	check(s->qp, "ibv_create_qp");
	check(!ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	      "to INIT");
}

static void to_rtr(struct side *s)
{
	struct ibv_port_attr port;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
				    .dest_qp_num = s->there_qpn,
				    .max_dest_rd_atomic = 1,
				    .min_rnr_timer = 12,
				    .ah_attr = { .is_global = 1, .port_num = 1 } };

	check(!ibv_query_port(s->context, 1, &port), "ibv_query_port");
	attr.path_mtu = port.active_mtu;
	attr.ah_attr.grh.dgid = s->there_gid;
	attr.ah_attr.grh.sgid_index = (uint8_t)s->gid_index;
	attr.ah_attr.grh.hop_limit = 64;
	check(!ibv_modify_qp(s->qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	      "to RTR");
}

void connect_queue_pair(struct side *s)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 6, .rnr_retry = 6, .max_rd_atomic = 1
	};

	to_rtr(s);
	check(!ibv_modify_qp(s->qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC),
	      "to RTS");
}
