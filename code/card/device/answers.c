/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "answers.h"
#include "card.h"
#include "region.h"

/* Bounds the payload that is fetched and has not left: to this card itself, no link slows a READ. */
enum { WAITING_BYTES = 1 << 20 };

static struct answer *answers_at(struct qp *qp, uint32_t number)
{
	return &qp->in.answers[(qp->in.first_answer + number) % ANSWERS];
}

static bool answers_add(struct card *card, struct qp *qp, struct answer a)
{
	if (qp->in.answer_count == ANSWERS)
		return false;
	a.is_again = psn_after(a.psn, qp->in.psn) < 0;
	qp->in.owed += a.kind != ANSWER_ACK && !a.is_again;
	*answers_at(qp, qp->in.answer_count++) = a;
	engine_wake(card, &qp->in.flow);
	return true;
}

static bool write_payload(struct card *card, struct qp *qp, struct leaving *l, uint8_t *payload)
{
	if (l->packet.kind == RESULT) {
		memcpy(payload, &l->packet.compare_add, l->packet.bytes);
		return true;
	}
	if (!l->packet.bytes ||
	    region_access(card, qp, l->packet.rkey, l->packet.remote, payload, l->packet.bytes, REMOTE_READ, false))
		return true;
	l->packet.kind = ACK;
	l->packet.ack = DENIED;
	l->packet.bytes = 0;
	return true;
}

static bool answers_write(struct card *card, enum lane lane, struct leaving *l, uint8_t *payload)
{
	struct qp *const qp = qp_find(&card->table, l->qp);

	if (!qp)
		return false;
	if (lane == DATA)
		qp->in.leaving -= qp->in.leaving > 0;
	if (l->ends_answer)
		qp->in.owed -= qp->in.owed > 0;
	if (qp->in.answer_count)
		engine_wake(card, &qp->in.flow);
	return l->packet.kind == ACK || write_payload(card, qp, l, payload);
}

static const struct sender sender = { .write = answers_write };

static struct leaving leaving(const struct qp *qp, enum packet_kind kind, uint32_t psn)
{
	struct leaving l = { .packet = { .kind = (uint8_t)kind, .from = qp->is.handle, .psn = psn },
			     .sender = &sender };

	l.packet.to = qp->attributes.peer_qp;
	l.qp = qp->is.handle;
	l.peer = qp->attributes.peer;
	return l;
}

static void ack_soon(struct card *card, struct qp *qp, const struct answer *a)
{
	struct leaving l = leaving(qp, ACK, a->psn);

	l.packet.ack = a->ack;
	l.packet.rnr_timer = qp->attributes.rnr_timer;
	l.ready_ps = card->schedule.now_ps + card->costs.ack_ps;
	port_leave(card, URGENT, &l);
}

void answers_ack(struct card *card, struct qp *qp, uint32_t psn, enum packet_ack ack)
{
	const struct answer a = { .kind = ANSWER_ACK, .psn = psn & PSN_MASK, .ack = (uint8_t)ack };
	struct answer *const last = answers_at(qp, qp->in.answer_count + ANSWERS - 1);

	if (!qp->in.answer_count && !qp->in.leaving)
		ack_soon(card, qp, &a);
	else if (qp->in.answer_count && last->kind == ANSWER_ACK)
		*last = a;
	else
		answers_add(card, qp, a);
}

bool answers_read(struct card *card, struct qp *qp, const struct packet *p)
{
	return answers_add(card, qp,
			   (struct answer){ .kind = ANSWER_READ,
					    .psn = p->psn,
					    .rkey = p->rkey,
					    .remote = p->remote,
					    .bytes = p->length });
}

bool answers_result(struct card *card, struct qp *qp, uint32_t psn, uint64_t value)
{
	return answers_add(card, qp, (struct answer){ .kind = ANSWER_RESULT, .psn = psn, .value = value });
}

static void drop_first(struct qp *qp)
{
	qp->in.first_answer = (qp->in.first_answer + 1) % ANSWERS;
	qp->in.answer_count--;
}

/* The next packet of a READ. */
static void cut(struct card *card, struct qp *qp, struct answer *a, struct leaving *l)
{
	const uint32_t mtu = qp->attributes.mtu_bytes;

	*l = leaving(qp, ANSWER, a->psn);
	l->packet.bytes = a->bytes < mtu ? (uint32_t)a->bytes : mtu;
	l->packet.remote = a->remote;
	l->packet.rkey = a->rkey;
	l->packet.flags = (a->is_begun ? 0 : FIRST) | (a->bytes <= mtu ? LAST : 0);
	l->fetched_bytes = l->packet.bytes;
	a->psn = (a->psn + 1) & PSN_MASK;
	a->remote += l->packet.bytes;
	a->bytes -= l->packet.bytes;
	l->work_ps = a->is_begun ? 0 : port_work(card, l, card->costs.gap_ps, (a->bytes + mtu - 1) / mtu, a->bytes);
	a->is_begun = true;
	l->ends_answer = l->packet.flags & LAST && !a->is_again;
	if (l->packet.flags & LAST)
		drop_first(qp);
}

static void answers_describe(struct card *card, struct qp *qp, struct answer *a, struct leaving *l)
{
	if (a->kind == ANSWER_READ) {
		cut(card, qp, a, l);
		return;
	}
	*l = leaving(qp, a->kind == ANSWER_ACK ? ACK : RESULT, a->psn);
	l->packet.ack = a->ack;
	l->packet.rnr_timer = qp->attributes.rnr_timer;
	if (a->kind == ANSWER_RESULT) {
		l->packet.compare_add = a->value;
		l->packet.bytes = sizeof(a->value);
		l->fetched_bytes = sizeof(a->value);
		l->work_ps = card->costs.gap_ps;
		l->ends_answer = !a->is_again;
	}
	drop_first(qp);
}

bool answers_next(struct card *card, struct qp *qp, struct leaving *l)
{
	if (!qp->in.answer_count || qp->in.leaving * qp->attributes.mtu_bytes >= WAITING_BYTES)
		return false;
	answers_describe(card, qp, answers_at(qp, 0), l);
	qp->in.leaving++;
	return true;
}
