/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Posting sends by ibv_wr_start() and its kin: an operation writes its slot without address and data, which the calls
 * after it add. One doorbell posts all of them; after an error none is posted. */
#include "send.h"

static struct pair *pair_of_draft(struct ibv_qp_ex *qp)
{
	return pair_of(&qp->qp_base);
}

static void start(struct ibv_qp_ex *qp)
{
	struct pair *p = pair_of_draft(qp);

	lock_take(&p->sends.lock);
	p->drafted_from = p->sends.posted;
	p->draft_error = 0;
}

static void refuse(struct pair *p, unsigned int flags, int error)
{
	send_report(p, flags, error);
	p->draft_error = error;
}

static void draft(struct ibv_qp_ex *qp, struct ibv_send_wr wr)
{
	static struct address nowhere; /* of a datagram, until it has one */
	struct pair *p = pair_of_draft(qp);
	int error;

	if (p->draft_error)
		return;
	wr.wr_id = qp->wr_id;
	wr.send_flags = qp->wr_flags & ~(unsigned int)IBV_SEND_INLINE;
	if (p->address_bytes)
		wr.wr.ud.ah = &nowhere.ah;
	error = p->drafts >> wr.opcode & 1 ? send_write_slot(p, &wr) : EINVAL;
	if (error)
		refuse(p, 0, error);
	else
		p->sends.posted++;
}

static void draft_send(struct ibv_qp_ex *qp)
{
	draft(qp, (struct ibv_send_wr){ .opcode = IBV_WR_SEND });
}

static void draft_send_imm(struct ibv_qp_ex *qp, __be32 imm)
{
	draft(qp, (struct ibv_send_wr){ .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = imm });
}

static void draft_write(struct ibv_qp_ex *qp, uint32_t key, uint64_t remote)
{
	draft(qp, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE, .wr.rdma = { remote, key } });
}

static void draft_write_imm(struct ibv_qp_ex *qp, uint32_t key, uint64_t remote, __be32 imm)
{
	draft(qp, (struct ibv_send_wr){
			  .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = imm, .wr.rdma = { remote, key } });
}

static void draft_read(struct ibv_qp_ex *qp, uint32_t key, uint64_t remote)
{
	draft(qp, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_READ, .wr.rdma = { remote, key } });
}

static void draft_swap(struct ibv_qp_ex *qp, uint32_t key, uint64_t remote, uint64_t compare, uint64_t swap)
{
	draft(qp,
	      (struct ibv_send_wr){ .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .wr.atomic = { remote, compare, swap, key } });
}

static void draft_add(struct ibv_qp_ex *qp, uint32_t key, uint64_t remote, uint64_t add)
{
	draft(qp, (struct ibv_send_wr){ .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
					.wr.atomic = { remote, .compare_add = add, .rkey = key } });
}

/* The slot of the last operation; NULL if there is none, or after an error. */
static struct card_wqe *drafted(const struct pair *p)
{
	const bool is_there = p->sends.posted != p->drafted_from && !p->draft_error;

	return is_there ? slots_at(&p->sends, p->sends.posted - 1) : NULL;
}

static unsigned char *data_of(const struct pair *p, struct card_wqe *w)
{
	return (unsigned char *)(w + 1) + p->address_bytes;
}

static void set_address(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t peer, uint32_t key)
{
	const struct pair *p = pair_of_draft(qp);
	struct card_wqe *w = drafted(p);

	if (w)
		put_address(p, (unsigned char *)(w + 1), &(struct ibv_send_wr){ .wr.ud = { ah, peer, key } });
}

static void set_pieces(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *list)
{
	const struct ibv_send_wr wr = { .sg_list = (struct ibv_sge *)list, .num_sge = (int)count };
	struct pair *p = pair_of_draft(qp);
	struct card_wqe *w = drafted(p);

	if (!w)
		return;
	if (count > p->sends.pieces_most) {
		refuse(p, 0, EINVAL);
		return;
	}
	w->pieces = (uint32_t)count;
	put_pieces((struct card_piece *)data_of(p, w), &wr);
}

static void set_piece(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, uint32_t bytes)
{
	set_pieces(qp, 1, &(struct ibv_sge){ address, bytes, key });
}

static void set_inline_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_data_buf *list)
{
	struct pair *p = pair_of_draft(qp);
	struct card_wqe *w = drafted(p);
	bool fits = w && w->opcode < IBV_WR_RDMA_READ;
	uint32_t done = 0;

	for (size_t i = 0; fits && i < count; i++)
		fits = put_bytes(p, data_of(p, w), &done, list[i].addr, list[i].length);
	if (fits) {
		w->flags |= IBV_SEND_INLINE;
		w->inline_bytes = done;
	} else if (w) {
		refuse(p, IBV_SEND_INLINE, EINVAL);
	}
}

static void set_inline(struct ibv_qp_ex *qp, void *from, size_t bytes)
{
	set_inline_list(qp, 1, &(struct ibv_data_buf){ from, bytes });
}

static void drop(struct ibv_qp_ex *qp)
{
	struct pair *p = pair_of_draft(qp);

	p->sends.posted = p->drafted_from;
	lock_give(&p->sends.lock);
}

static int complete(struct ibv_qp_ex *qp)
{
	struct pair *p = pair_of_draft(qp);
	const int error = p->draft_error;

	if (error) {
		drop(qp);
		return error;
	}
	if (p->sends.posted != p->drafted_from)
		send_ring(p);
	lock_give(&p->sends.lock);
	return 0;
}

void pair_extend(struct pair *p, uint64_t operations)
{
	struct ibv_qp_ex *const qp = &p->more;

	p->drafts = (uint32_t)operations; /* IBV_QP_EX_WITH_SEND is the bit of IBV_WR_SEND, and so on */
	qp->wr_start = start;
	qp->wr_send = draft_send;
	qp->wr_send_imm = draft_send_imm;
	qp->wr_rdma_write = draft_write;
	qp->wr_rdma_write_imm = draft_write_imm;
	qp->wr_rdma_read = draft_read;
	qp->wr_atomic_cmp_swp = draft_swap;
	qp->wr_atomic_fetch_add = draft_add;
	qp->wr_set_ud_addr = set_address;
	qp->wr_set_sge = set_piece;
	qp->wr_set_sge_list = set_pieces;
	qp->wr_set_inline_data = set_inline;
	qp->wr_set_inline_data_list = set_inline_list;
	qp->wr_complete = complete;
	qp->wr_abort = drop;
}
