/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "message.h"
#include "receive.h"
#include "region.h"

static bool has_imm(const struct packet *p)
{
	return p->opcode == WRITE_IMM || p->opcode == SEND_IMM;
}

/* An incomplete unreliable message leaves its receive to the next one. */
static bool has_receive(struct card *card, struct qp *qp)
{
	return qp->in.has_receive || (qp->in.has_receive = receive_take(card, qp, &qp->in.receive));
}

static void message_complete(struct card *card, struct qp *qp, const struct packet *p, uint32_t status)
{
	const struct card_cqe entry = { .status = status,
					.opcode = verbs_writes(p->opcode) ? ENTRY_RECV_IMM : ENTRY_RECV,
					.bytes = qp->in.done,
					.imm = has_imm(p) ? p->imm : 0,
					.flags = has_imm(p) ? HAS_IMM : 0,
					.source_qp = p->from };

	qp->in.has_receive = false;
	qp->in.has_reported = status != SUCCESS;
	receive_complete(card, qp, &qp->in.receive, &entry, p->flags & WANTS_EVENT);
}

static enum packet_ack end(struct card *card, struct qp *qp, const struct packet *p)
{
	if (p->flags & LAST) {
		qp->in.is_within = false;
		if (verbs_takes(p->opcode))
			message_complete(card, qp, p, SUCCESS);
	}
	return ACKED;
}

static enum packet_ack take_write(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	if (!(qp->attributes.access & REMOTE_WRITE))
		return INVALID;
	if (p->length && !region_allows(card, qp, p->rkey, p->remote, p->length, REMOTE_WRITE))
		return DENIED;
	if (p->flags & LAST && p->opcode == WRITE_IMM && !has_receive(card, qp))
		return RNR;
	if (p->bytes && !region_access(card, qp, p->rkey, p->remote, payload, p->bytes, REMOTE_WRITE, true))
		return DENIED;
	qp->in.done += p->bytes;
	return end(card, qp, p);
}

static enum packet_ack take_send(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	uint32_t status;

	if (!has_receive(card, qp))
		return RNR;
	status = receive_write(card, qp, &qp->in.receive, qp->in.done, payload, p->bytes);
	if (status) {
		message_complete(card, qp, p, status);
		return status == LOCAL_LENGTH ? INVALID : FAILED;
	}
	qp->in.done += p->bytes;
	return end(card, qp, p);
}

enum packet_ack message_take(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	if (p->opcode > SEND_IMM)
		return INVALID;
	if (p->flags & FIRST)
		qp->in.done = 0;
	qp->in.is_within = true;
	return verbs_writes(p->opcode) ? take_write(card, qp, p, payload) : take_send(card, qp, p, payload);
}

enum verbs_verdict message_take_datagram(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	const bool has_imm = p->opcode == SEND_IMM;
	struct card_cqe entry = { .opcode = ENTRY_RECV,
				  .bytes = p->bytes,
				  .imm = has_imm ? p->imm : 0,
				  .flags = HAS_GRH | (has_imm ? HAS_IMM : 0),
				  .source_qp = p->from };
	struct receive receive;

	if (p->qkey != qp->attributes.qkey || !receive_take(card, qp, &receive))
		return GOES_ON;
	entry.status = receive_write(card, qp, &receive, 0, payload, p->bytes);
	receive_complete(card, qp, &receive, &entry, p->flags & WANTS_EVENT);
	return entry.status ? FAILS : GOES_ON;
}
