/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "answers.h"
#include "card.h"
#include "completion.h"
#include "qp.h"
#include "receive.h"
#include "recovery.h"
#include "requester.h"

static bool is_type(uint32_t type)
{
	return type == RC || type == UC || type == UD;
}

static bool has_others(struct card *card, const struct qp *qp)
{
	const uint32_t handles[] = { qp->send_cq, qp->recv_cq, qp->srq };
	const enum kind kinds[] = { CQ, CQ, SRQ };

	for (int i = 0; i < 3; i++) {
		const struct object *const o = table_find(&card->table, kinds[i], handles[i]);

		if (!(o && o->owner == qp->is.owner) && (handles[i] || kinds[i] == CQ))
			return false;
	}
	return true;
}

void qp_flush(struct card *card, struct qp *qp)
{
	struct receive receive;

	requester_flush(card, qp);
	while (!qp->srq && queue_take(card, &qp->is.memory, &qp->in.queue, &receive))
		receive_complete(card, qp, &receive, &(struct card_cqe){ .status = FLUSHED, .opcode = ENTRY_RECV },
				 false);
}

static void qp_fail(struct card *card, struct qp *qp)
{
	qp->attributes.state = ERR;
	qp->must_flush = false;
	qp->out.deadline_ps = INT64_MAX;
	engine_forget(card, &qp->out.flow);
	if (qp->in.has_receive)
		receive_complete(card, qp, &qp->in.receive,
				 &(struct card_cqe){ .status = FLUSHED, .opcode = ENTRY_RECV }, false);
	qp->in.has_receive = qp->in.is_within = false;
	qp_flush(card, qp);
	if (qp->srq)
		notice_event(card, &qp->is, LAST_RECEIVE);
}

static void qp_fail_with(struct card *card, struct qp *qp, enum verbs_event event)
{
	if (qp->attributes.state == ERR)
		return;
	notice_event(card, &qp->is, event);
	qp_fail(card, qp);
}

void qp_obey(struct card *card, struct qp *qp, enum verbs_verdict verdict)
{
	if (verdict == FAILS)
		qp_fail(card, qp);
	else if (verdict != GOES_ON)
		qp_fail_with(card, qp, verdict == FAILS_BY_ACCESS ? QP_ACCESS_ERROR : QP_REQUEST_ERROR);
}

int qp_create(struct card *card, struct qp *qp, const struct card_qp *w)
{
	const uint64_t end = qp->is.memory.length;

	qp->type = w->type;
	qp->pd = w->pd;
	qp->send_cq = w->send_cq;
	qp->recv_cq = w->recv_cq;
	qp->srq = w->srq;
	qp->all_signalled = w->all_signalled;
	qp->out.queue = (struct queue){ .slots = w->send_slots, .slot_bytes = w->send_slot_bytes };
	qp->in.queue = (struct queue){ .at = (uint64_t)w->send_slots * w->send_slot_bytes,
				       .slots = w->recv_slots,
				       .slot_bytes = w->recv_slot_bytes };
	if (!is_type(w->type) || !w->send_slots || !queue_is_possible(&qp->out.queue, end) ||
	    !queue_is_possible(&qp->in.queue, end) || !has_others(card, qp))
		return EINVAL;
	qp->out.requests = calloc(w->send_slots, sizeof(*qp->out.requests));
	qp->out.fail = qp_fail;
	qp->out.flow = (struct flow){ .next = requester_next, .qp = qp, .rate = &qp->rate };
	qp->in.flow = (struct flow){ .next = answers_next, .qp = qp, .rate = &qp->rate };
	return qp->out.requests ? 0 : ENOMEM;
}

static void qp_reset(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;
	struct responder *const in = &qp->in;

	engine_forget(card, &out->flow);
	engine_forget(card, &in->flow);
	*out = (struct requester){ .queue = out->queue,
				   .requests = out->requests,
				   .fail = out->fail,
				   .flow = out->flow,
				   .has_timer = out->has_timer };
	*in = (struct responder){ .queue = in->queue, .flow = in->flow };
	qp->rate = (struct rate){ .bit_s = 0 };
	qp->quiet_until_ps = 0;
	qp->must_flush = false;
	out->queue.posted = out->queue.taken = in->queue.posted = in->queue.taken = 0;
	out->deadline_ps = INT64_MAX;
}

static bool is_possible(const struct card_attributes *a)
{
	return a->state < STATES && a->state != SQE && a->peer <= CARD_PEERS_MOST &&
	       (!a->mtu_bytes ||
		(a->mtu_bytes >= 256 && a->mtu_bytes <= PAYLOAD_MOST && (a->mtu_bytes & (a->mtu_bytes - 1)) == 0)) &&
	       a->retries <= 7 && a->rnr_retries <= RNR_FOREVER && a->timeout < 32 && a->rnr_timer < 32 &&
	       a->reads <= CARD_READS_MOST && a->peer_reads <= CARD_READS_MOST;
}

static void qp_enter(struct card *card, struct qp *qp, uint32_t before)
{
	const struct card_attributes *const a = &qp->attributes;

	if (a->state == RESET)
		qp_reset(card, qp);
	if (a->state == RTR && before != RTR)
		qp->in.psn = a->recv_psn & PSN_MASK;
	if (a->state == RTS && before == RTR)
		requester_start(qp);
	if (a->state == RTS) {
		recovery_progress(qp);
		engine_wake(card, &qp->out.flow);
	}
	qp->is_draining = a->state == SQD && before == RTS && a->notifies_drained;
	if (qp->is_draining)
		completion_retire(card, qp);
	if (a->state == ERR && before != ERR)
		qp_fail(card, qp);
}

int qp_modify(struct card *card, struct qp *qp, const struct card_attributes *wanted)
{
	const uint32_t before = qp->attributes.state;
	const bool forward = wanted->state == before || wanted->state == before + 1 || wanted->state == RESET ||
			     wanted->state == ERR || (wanted->state == RTS && before == SQD);

	if (!is_possible(wanted) || !forward)
		return EINVAL;
	qp->attributes = *wanted;
	if (!qp->attributes.mtu_bytes)
		qp->attributes.mtu_bytes = PAYLOAD_MOST;
	qp_enter(card, qp, before);
	return 0;
}

static void flush_late(struct card *card, uint64_t handle, uint64_t nothing)
{
	struct qp *const qp = qp_find(&card->table, (uint32_t)handle);

	(void)nothing;
	if (qp && qp->must_flush)
		qp_fail(card, qp);
}

void qp_lose_cq(struct card *card, uint32_t cq)
{
	for (int i = 0; i < CARD_OBJECTS; i++) {
		struct qp *const qp = (struct qp *)card->table.objects[i];

		if (!qp || qp->is.kind != QP || qp->attributes.state == RESET || qp->attributes.state == ERR ||
		    (qp->send_cq != cq && qp->recv_cq != cq))
			continue;
		notice_event(card, &qp->is, QP_FATAL);
		qp->attributes.state = ERR;
		qp->must_flush = true;
		schedule_plan(&card->schedule, 0, flush_late, qp->is.handle, 0);
	}
}

void qp_drop(struct card *card, struct qp *qp)
{
	engine_forget(card, &qp->out.flow);
	engine_forget(card, &qp->in.flow);
	free(qp->out.requests);
}
