/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answers.h"
#include "atomic.h"
#include "card.h"
#include "region.h"

static uint64_t changed(const struct packet *p, uint64_t old)
{
	if (p->opcode == FADD)
		return old + p->compare_add;
	return old == p->compare_add ? p->swap : old;
}

static void remember(struct responder *in, uint32_t psn, uint64_t value)
{
	const uint32_t at = in->result_count++ % RESULTS;

	in->results[at].psn = psn;
	in->results[at].value = value;
	in->results[at].is_there = true;
}

enum packet_ack atomic_take(struct card *card, struct qp *qp, const struct packet *p)
{
	uint64_t old = 0, new;

	if (!(qp->attributes.access & REMOTE_ATOMIC) || p->remote % sizeof(old) || qp->in.answer_count == ANSWERS)
		return INVALID;
	if (!region_access(card, qp, p->rkey, p->remote, &old, sizeof(old), REMOTE_ATOMIC, false))
		return DENIED;
	new = changed(p, old);
	if (!region_access(card, qp, p->rkey, p->remote, &new, sizeof(new), REMOTE_ATOMIC, true))
		return DENIED;
	remember(&qp->in, p->psn, old);
	answers_result(card, qp, p->psn, old);
	return ACKED;
}

void atomic_again(struct card *card, struct qp *qp, const struct packet *p)
{
	for (uint32_t i = 0; i < RESULTS; i++)
		if (qp->in.results[i].is_there && qp->in.results[i].psn == p->psn) {
			answers_result(card, qp, p->psn, qp->in.results[i].value);
			return;
		}
}
