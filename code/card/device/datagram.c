/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "datagram.h"
#include "receive.h"

enum verbs_verdict datagram_take(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
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
