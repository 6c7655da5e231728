/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answers.h"
#include "atomic.h"
#include "card.h"
#include "message.h"
#include "region.h"
#include "responder.h"

/* An invalid packet fails the queue pair, and the peer is notified; the local program gets an event only if no
 * completion reports the error. */
static enum verbs_verdict refuse(struct card *card, struct qp *qp, uint32_t psn, enum packet_ack why)
{
	answers_ack(card, qp, psn, why);
	if (qp->in.has_reported)
		return FAILS;
	return why == DENIED ? FAILS_BY_ACCESS : FAILS_BY_REQUEST;
}

static enum packet_ack take_read(struct card *card, struct qp *qp, const struct packet *p)
{
	if (!(qp->attributes.access & REMOTE_READ))
		return INVALID;
	if (p->length && !region_allows(card, qp, p->rkey, p->remote, p->length, REMOTE_READ))
		return DENIED;
	return answers_read(card, qp, p) ? ACKED : INVALID;
}

static uint32_t packets_of(const struct qp *qp, const struct packet *p)
{
	return p->kind == ASK && p->length ? (p->length - 1) / qp->attributes.mtu_bytes + 1 : 1;
}

static enum packet_ack responder_execute(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	if (p->kind != MESSAGE && qp->in.owed >= qp->attributes.peer_reads)
		return INVALID;
	if (p->kind == ASK)
		return take_read(card, qp, p);
	return p->kind == ATOMIC ? atomic_take(card, qp, p) : message_take(card, qp, p, payload);
}

static enum verbs_verdict expected(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	const enum packet_ack ack = responder_execute(card, qp, p, payload);

	if (ack == RNR) {
		qp->in.is_out_of_order =
			true; /* the peer starts again there, so later packets until then are expected to be early */
		answers_ack(card, qp, p->psn, RNR);
	} else if (ack != ACKED) {
		return refuse(card, qp, p->psn, ack);
	} else {
		qp->in.is_out_of_order = false;
		qp->in.psn = (qp->in.psn + packets_of(qp, p)) & PSN_MASK;
		if (p->kind == MESSAGE && p->flags & WANTS_ACK)
			answers_ack(card, qp, p->psn, ACKED);
	}
	return GOES_ON;
}

/* It was received before, and its answer may be lost. */
static void again(struct card *card, struct qp *qp, const struct packet *p)
{
	if (p->kind == ASK)
		take_read(card, qp, p);
	else if (p->kind == ATOMIC)
		atomic_again(card, qp, p);
	else if (p->flags & WANTS_ACK)
		answers_ack(card, qp, qp->in.psn + PSN_MASK, ACKED);
}

static enum verbs_verdict take_reliable(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	const int32_t after = psn_after(p->psn, qp->in.psn);

	if (after == 0)
		return expected(card, qp, p, payload);
	if (after < 0) {
		again(card, qp, p);
	} else if (!qp->in.is_out_of_order) {
		qp->in.is_out_of_order = true;
		answers_ack(card, qp, qp->in.psn, OUT_OF_ORDER);
	}
	return GOES_ON;
}

/* Loss is not repaired: the incomplete message is dropped, and the next one uses its receive. Only an error of a
 * receive fails the queue pair. */
static enum verbs_verdict take_unreliable(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	const bool follows = p->psn == qp->in.psn;

	if (p->kind != MESSAGE || (!follows && !(p->flags & FIRST)))
		return GOES_ON;
	qp->in.psn = (p->psn + 1) & PSN_MASK;
	if (!(p->flags & FIRST) && !qp->in.is_within)
		return GOES_ON;
	if (message_take(card, qp, p, payload) == ACKED)
		return GOES_ON;
	qp->in.is_within = false;
	return qp->in.has_reported ? FAILS : GOES_ON;
}

enum verbs_verdict responder_take(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	const uint32_t state = qp->attributes.state;

	if (state != RTR && state != RTS && state != SQD)
		return GOES_ON;
	if (qp->type == RC && p->kind != DATAGRAM)
		return take_reliable(card, qp, p, payload);
	if (qp->type == UD && p->kind == DATAGRAM)
		return message_take_datagram(card, qp, p, payload);
	return qp->type == UC ? take_unreliable(card, qp, p, payload) : GOES_ON;
}
