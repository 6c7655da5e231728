/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "gather.h"
#include "grh.h"
#include "region.h"

static uint32_t address_bytes(const struct qp *qp)
{
	return qp->type == UD ? sizeof(struct card_address) : 0;
}

static bool can_do(uint32_t type, uint32_t opcode)
{
	return type == RC ? opcode < OPCODES : type == UC ? opcode < READ : opcode == SEND || opcode == SEND_IMM;
}

static uint64_t most_bytes(const struct qp *qp)
{
	return qp->type == UD ? qp->attributes.mtu_bytes : MOST_MESSAGE;
}

static uint32_t fault(const struct qp *qp, const struct request *r, uint64_t bytes)
{
	const bool asks = verbs_asks(r->wqe.opcode);

	if (!can_do(qp->type, r->wqe.opcode) || (asks && (r->wqe.flags & INLINE || !qp->attributes.reads)))
		return LOCAL_OPERATION;
	if (bytes > most_bytes(qp) || (r->wqe.opcode > READ && bytes != 8))
		return LOCAL_LENGTH;
	return SUCCESS;
}

void gather_read(struct card *card, struct qp *qp, uint32_t index, struct request *r)
{
	const struct queue *const q = &qp->out.queue;
	struct card_piece pieces[CARD_PIECES_MOST];
	uint64_t bytes = 0;

	if (!queue_request(card, &qp->is.memory, q, index, &r->wqe) ||
	    !queue_inline(card, &qp->is.memory, q, index, sizeof(r->wqe), &r->address, address_bytes(qp))) {
		r->status = LOCAL_OPERATION;
	} else if (r->wqe.flags & INLINE) {
		bytes = r->wqe.inline_bytes;
		r->status = bytes > CARD_INLINE_MOST ? LOCAL_OPERATION : fault(qp, r, bytes);
	} else if (!queue_pieces(card, &qp->is.memory, q, index, address_bytes(qp), pieces, r->wqe.pieces)) {
		r->status = LOCAL_OPERATION;
	} else {
		for (uint32_t i = 0; i < r->wqe.pieces; i++)
			bytes += pieces[i].bytes;
		r->status = fault(qp, r, bytes);
	}
	r->bytes = r->status ? 0 : (uint32_t)bytes;
}

static bool read(struct card *card, struct qp *qp, const struct leaving *l, const struct request *r, uint8_t *to,
		 uint64_t size)
{
	const struct queue *const q = &qp->out.queue;
	struct card_piece pieces[CARD_PIECES_MOST];

	if (r->wqe.flags & INLINE)
		return queue_inline(card, &qp->is.memory, q, l->index, sizeof(r->wqe) + address_bytes(qp) + l->offset,
				    to, size);
	return queue_pieces(card, &qp->is.memory, q, l->index, address_bytes(qp), pieces, r->wqe.pieces) &&
	       region_walk(card, qp, pieces, r->wqe.pieces, l->offset, to, size, false);
}

bool gather_payload(struct card *card, struct qp *qp, const struct leaving *l, const struct request *r,
		    uint8_t *payload)
{
	if (l->packet.kind != DATAGRAM)
		return read(card, qp, l, r, payload, l->packet.bytes);
	grh_write(&r->address, l->packet.bytes - GRH_BYTES, payload);
	return read(card, qp, l, r, payload + GRH_BYTES, l->packet.bytes - GRH_BYTES);
}

bool gather_answer(struct card *card, struct qp *qp, const struct request *r, const struct packet *p, uint8_t *payload)
{
	const uint32_t index = qp->out.queue.taken + (uint32_t)((r - qp->out.requests) + qp->out.queue.slots -
								qp->out.queue.taken % qp->out.queue.slots) %
							     qp->out.queue.slots;
	const uint64_t offset = (uint64_t)((p->psn - r->first_psn) & PSN_MASK) * qp->attributes.mtu_bytes;
	struct card_piece pieces[CARD_PIECES_MOST];

	return queue_pieces(card, &qp->is.memory, &qp->out.queue, index, 0, pieces, r->wqe.pieces) &&
	       region_walk(card, qp, pieces, r->wqe.pieces, offset, payload, p->bytes, true);
}
