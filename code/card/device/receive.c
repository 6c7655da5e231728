/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "cq.h"
#include "qp.h"
#include "receive.h"
#include "region.h"

static bool take_shared(struct card *card, uint32_t handle, struct receive *r)
{
	struct srq *const srq = (struct srq *)table_find(&card->table, SRQ, handle);

	if (!srq || !queue_take(card, &srq->is.memory, &srq->queue, r))
		return false;
	if (srq->limit && srq->queue.posted - srq->queue.taken < srq->limit) {
		srq->limit = 0;
		notice_event(card, &srq->is, SRQ_LIMIT);
	}
	return true;
}

bool receive_take(struct card *card, struct qp *qp, struct receive *r)
{
	return qp->srq ? take_shared(card, qp->srq, r) : queue_take(card, &qp->is.memory, &qp->in.queue, r);
}

uint32_t receive_write(struct card *card, const struct qp *qp, const struct receive *r, uint64_t offset, uint8_t *bytes,
		       uint64_t size)
{
	if (offset > r->room || size > r->room - offset)
		return LOCAL_LENGTH;
	return region_walk(card, qp, r->pieces, r->count, offset, bytes, size, true) ? SUCCESS : LOCAL_PROTECTION;
}

void receive_complete(struct card *card, const struct qp *qp, const struct receive *r, const struct card_cqe *entry,
		      bool solicited)
{
	struct card_cqe e = *entry;

	e.wr_id = r->wr_id;
	e.cookie = qp->is.cookie;
	e.qp = qp->is.handle;
	e.index = r->index;
	cq_add(card, qp->recv_cq, &e, solicited || e.status);
}
