/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of a queue pair: the kernel checks each change, then the card gets all of them. */
#include <errno.h>

#include "address.h"
#include "pair.h"
#include "real.h"

static void note(struct card_attributes *a, struct ibv_context *context, const struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_STATE)
		a->state = attr->qp_state;
	if (mask & IBV_QP_ACCESS_FLAGS)
		a->access = attr->qp_access_flags;
	if (mask & IBV_QP_AV)
		a->peer = address_peer(context, &attr->ah_attr.grh.dgid);
	if (mask & IBV_QP_DEST_QPN)
		a->peer_qp = attr->dest_qp_num;
	if (mask & IBV_QP_PATH_MTU)
		a->mtu_bytes = 128u << attr->path_mtu;
	if (mask & IBV_QP_QKEY)
		a->qkey = attr->qkey;
	if (mask & IBV_QP_SQ_PSN)
		a->send_psn = attr->sq_psn;
	if (mask & IBV_QP_RQ_PSN)
		a->recv_psn = attr->rq_psn;
}

static void note_patience(struct card_attributes *a, const struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_TIMEOUT)
		a->timeout = attr->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		a->retries = attr->retry_cnt;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		a->rnr_timer = attr->min_rnr_timer;
	if (mask & IBV_QP_RNR_RETRY)
		a->rnr_retries = attr->rnr_retry;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		a->reads = attr->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		a->peer_reads = attr->max_dest_rd_atomic;
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY)
		a->notifies_drained = attr->en_sqd_async_notify;
}

EXPORTED int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct pair *p = pair_of(qp);
	struct card_request request = { .op = CARD_MODIFY_QP, .handle = qp->qp_num };
	int error;

	if (!board_of(qp->context))
		return real(ibv_modify_qp)(qp, attr, mask);
	error = real(ibv_modify_qp)(p->real, attr, mask);
	if (error)
		return error;
	note(&p->attributes, qp->context, attr, mask);
	note_patience(&p->attributes, attr, mask);
	request.arguments.attributes = p->attributes;
	error = board_request(qp->context, &request);
	if (!error && mask & IBV_QP_STATE)
		pair_enter(p, attr->qp_state);
	return error;
}

/* An error may have changed the state: only the card has the present one. */
EXPORTED int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *made)
{
	const struct pair *p = pair_of(qp);
	struct card_request request = { .op = CARD_QUERY_QP, .handle = qp->qp_num };
	int error;

	if (!board_of(qp->context))
		return real(ibv_query_qp)(qp, attr, mask, made);
	error = real(ibv_query_qp)(p->real, attr, mask, made);
	if (!error)
		error = board_request(qp->context, &request);
	if (error)
		return error;
	attr->qp_state = attr->cur_qp_state = qp->state = request.arguments.attributes.state;
	attr->cap = (struct ibv_qp_cap){ p->sends.count, p->own_receives.count, p->sends.pieces_most,
					 p->own_receives.pieces_most, p->inline_most };
	*made = (struct ibv_qp_init_attr){ qp->qp_context, qp->send_cq, qp->recv_cq,     qp->srq,
					   attr->cap,      qp->qp_type, p->all_signalled };
	return 0;
}
