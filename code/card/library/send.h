/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A send in the request memory of the card. */
#ifndef SEND_H
#define SEND_H

#include <errno.h>
#include <string.h>

#include "address.h"
#include "pair.h"

#define QKEY_IS_OWN                                                                                                    \
	0x80000000u /* in a request: the queue pair's own is meant (InfiniBand Architecture 1.4, 10.2.5)               \
		     */

static inline unsigned char *put_address(const struct pair *p, unsigned char *to, const struct ibv_send_wr *wr)
{
	struct card_address *a = (struct card_address *)to;
	const uint32_t qkey = wr->wr.ud.remote_qkey;

	*a = address_of(wr->wr.ud.ah)->to;
	a->peer_qp = wr->wr.ud.remote_qpn;
	a->qkey = qkey & QKEY_IS_OWN ? p->attributes.qkey : qkey;
	return to + sizeof(*a);
}

/* The program may reuse its bytes at once. */
static inline bool put_bytes(const struct pair *p, unsigned char *to, uint32_t *done, const void *from, size_t bytes)
{
	if (bytes > p->inline_most - *done)
		return false;
	memcpy(to + *done, from, bytes);
	*done += (uint32_t)bytes;
	return true;
}

static inline int put_inline(const struct pair *p, struct card_wqe *w, unsigned char *to, const struct ibv_send_wr *wr)
{
	uint32_t done = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *s = &wr->sg_list[i];

		if (!put_bytes(p, to, &done, (const void *)(uintptr_t)s->addr, s->length))
			return EINVAL;
	}
	w->inline_bytes = done;
	return wr->opcode < IBV_WR_RDMA_READ ? 0 : EINVAL;
}

static inline void put_pieces(struct card_piece *to, const struct ibv_send_wr *wr)
{
	for (int i = 0; i < wr->num_sge; i++)
		to[i] = (struct card_piece){ wr->sg_list[i].addr, wr->sg_list[i].length, wr->sg_list[i].lkey };
}

static inline void put_atomic(struct card_wqe *w, const struct ibv_send_wr *wr)
{
	w->rkey = wr->wr.atomic.rkey;
	w->compare_add = wr->wr.atomic.compare_add;
	w->swap = wr->wr.atomic.swap;
}

/* Writes the next slot; the caller counts it. */
static inline int send_write_slot(struct pair *p, const struct ibv_send_wr *wr)
{
	struct card_wqe *w = slots_next(&p->sends);
	unsigned char *rest = (unsigned char *)(w + 1);

	if (!w)
		return ENOMEM;
	if (!(p->opcodes >> (wr->opcode & 31) & 1) || (uint32_t)wr->num_sge > p->sends.pieces_most)
		return EINVAL;
	w->wr_id = wr->wr_id;
	w->opcode = wr->opcode;
	w->flags = wr->send_flags;
	w->imm = wr->imm_data;
	w->pieces = (uint32_t)wr->num_sge;
	if (p->address_bytes) {
		rest = put_address(p, rest, wr);
	} else {
		w->remote = wr->wr.rdma.remote_addr; /* an atomic has its address at the same offset */
		w->rkey = wr->wr.rdma.rkey;
		if (wr->opcode >= IBV_WR_ATOMIC_CMP_AND_SWP)
			put_atomic(w, wr);
	}
	if (wr->send_flags & IBV_SEND_INLINE)
		return put_inline(p, w, rest, wr);
	w->inline_bytes = 0;
	put_pieces((struct card_piece *)rest, wr);
	return 0;
}

static inline void send_report(const struct pair *p, unsigned int flags, int error)
{
	if (error == ENOMEM)
		slots_report("the send queue of %u requests is full", p->sends.count);
	else if (flags & IBV_SEND_INLINE)
		slots_report("more inline bytes than the %u granted", p->inline_most);
}

static inline void send_ring(const struct pair *p)
{
	board_ring(p->doorbells, CARD_SEND, (uint64_t)p->qp.qp_num << 32 | p->sends.posted);
}

#endif
