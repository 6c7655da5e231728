/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bell.h"
#include "card.h"
#include "cq.h"
#include "qp.h"
#include "receive.h"

static struct object *bell_find(struct card *card, uint32_t page, enum kind kind, uint32_t handle)
{
	struct object *const o = table_find(&card->table, kind, handle);

	return o && card->bells[page] && o->owner == card->bells[page] ? o : NULL;
}

static void post(struct card *card, uint64_t handle, uint64_t posted)
{
	struct qp *const qp = qp_find(&card->table, (uint32_t)handle);
	const uint32_t first = qp ? qp->out.queue.posted : 0;

	if (!qp || !queue_post(&qp->out.queue, (uint32_t)posted))
		return;
	for (uint32_t i = first; i != (uint32_t)posted; i++)
		qp->out.requests[i % qp->out.queue.slots].is_rung = i == first;
	if (qp->attributes.state == ERR)
		qp_flush(card, qp);
	else
		engine_wake(card, &qp->out.flow);
}

/* A single request is sent with its doorbell; several are fetched. */
static void ring_send(struct card *card, struct qp *qp, uint32_t posted)
{
	const struct costs *const c = &card->costs;
	const bool is_single = posted - qp->out.posted == 1;

	qp->out.posted = posted;
	schedule_plan(&card->schedule, c->doorbell_ps + (is_single ? 0 : c->fetch_ps), post, qp->is.handle, posted);
}

static void ring_receive(struct card *card, struct qp *qp, uint32_t posted)
{
	if (!qp->srq && queue_post(&qp->in.queue, posted) && qp->attributes.state == ERR)
		qp_flush(card, qp);
}

void bell_ring(struct card *card, uint32_t page, uint64_t which, uint64_t value)
{
	const uint32_t handle = value >> 32 & 0x7fffffff, count = (uint32_t)value;
	struct object *const qp = bell_find(card, page, QP, handle), *const srq = bell_find(card, page, SRQ, handle),
			     *const cq = bell_find(card, page, CQ, handle);

	if (which == CARD_SEND && qp)
		ring_send(card, (struct qp *)qp, count);
	else if (which == CARD_RECV && qp)
		ring_receive(card, (struct qp *)qp, count);
	else if (which == CARD_RECV && srq)
		queue_post(&((struct srq *)srq)->queue, count);
	else if (which == CARD_ARM && cq)
		cq_arm(card, (struct cq *)cq, count, value & CARD_SOLICITED);
}
