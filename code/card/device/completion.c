/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "completion.h"
#include "cq.h"

static const uint32_t entries[OPCODES] = { ENTRY_WRITE, ENTRY_WRITE, ENTRY_SEND, ENTRY_SEND,
					   ENTRY_READ,  ENTRY_CAS,   ENTRY_FADD };

static struct request *completion_at(struct qp *qp, uint32_t index)
{
	return &qp->out.requests[index % qp->out.queue.slots];
}

static uint32_t end_of(const struct request *r)
{
	return (r->first_psn + r->packets) & PSN_MASK;
}

struct request *completion_request(struct qp *qp, uint32_t psn)
{
	for (uint32_t i = qp->out.queue.taken; i != qp->out.started; i++)
		if (psn_after(psn, end_of(completion_at(qp, i))) < 0)
			return psn_after(psn, completion_at(qp, i)->first_psn) < 0 ? NULL : completion_at(qp, i);
	return NULL;
}

uint32_t completion_bound(struct qp *qp, uint32_t psn)
{
	const struct requester *const out = &qp->out;

	if (!out->asks)
		return psn;
	for (uint32_t i = out->queue.taken; i != out->started; i++) {
		const struct request *const r = completion_at(qp, i);
		const uint32_t from = psn_after(out->unacked, r->first_psn) > 0 ? out->unacked : r->first_psn;

		if (verbs_asks(r->wqe.opcode) && psn_after(end_of(r), out->unacked) > 0 && psn_after(psn, from) > 0)
			return from;
	}
	return psn;
}

void completion_write(struct card *card, struct qp *qp, uint32_t index, uint32_t status)
{
	const struct request *const r = completion_at(qp, index);
	const struct card_cqe entry = { .wr_id = r->wqe.wr_id,
					.cookie = qp->is.cookie,
					.status = status,
					.opcode = r->wqe.opcode < OPCODES ? entries[r->wqe.opcode] : ENTRY_SEND,
					.bytes = r->bytes,
					.qp = qp->is.handle,
					.index = index };

	cq_add(card, qp->send_cq, &entry, status != SUCCESS);
}

void completion_end(struct card *card, struct qp *qp, uint32_t status)
{
	struct requester *const out = &qp->out;

	if (!qp_sends(qp) || out->queue.taken == out->started)
		return;
	completion_write(card, qp, out->queue.taken++, status);
	out->fail(card, qp);
}

static void completion_drain(struct card *card, struct qp *qp)
{
	if (!qp->is_draining || qp->attributes.state != SQD || qp->out.queue.taken != qp->out.started)
		return;
	qp->is_draining = false;
	notice_event(card, &qp->is, SQ_DRAINED);
}

void completion_retire(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;
	const struct request *r;

	while (qp_sends(qp) && out->queue.taken != out->started) {
		r = completion_at(qp, out->queue.taken);
		if (r->status) {
			completion_end(card, qp, r->status);
			return;
		}
		if (psn_after(out->unacked, end_of(r)) < 0)
			break;
		out->queue.taken++; /* before its entry, which may overrun the queue and fail the queue pair */
		if (qp->all_signalled || r->wqe.flags & SIGNALLED)
			completion_write(card, qp, out->queue.taken - 1, SUCCESS);
	}
	completion_drain(card, qp);
}
