/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polling completions: a few instructions each, without system calls. */
#include <errno.h>

#include "pair.h"
#include "queue.h"

static inline const struct card_cqe *next(const struct queue *q)
{
	const struct card_cqe *e = &q->entries[q->taken & q->mask];

	return __atomic_load_n(&e->turn, __ATOMIC_ACQUIRE) == q->taken + 1 ? e : NULL;
}

static inline void free_slots(const struct card_cqe *e)
{
	struct pair *p = (struct pair *)(uintptr_t)e->cookie;

	slots_free(e->opcode & IBV_WC_RECV ? p->receives : &p->sends, e->index);
}

static inline void tell(const struct card_cqe *e, struct ibv_wc *wc)
{
	wc->wr_id = e->wr_id;
	wc->status = e->status;
	wc->opcode = e->opcode;
	wc->vendor_err = 0;
	wc->byte_len = e->bytes;
	wc->imm_data = e->imm;
	wc->qp_num = e->qp;
	wc->src_qp = e->source_qp;
	wc->wc_flags = e->flags;
	wc->pkey_index = 0;
	wc->slid = 0;
	wc->sl = 0;
	wc->dlid_path_bits = 0;
}

int queue_poll(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	struct queue *q = queue_of(cq);
	const struct card_cqe *e;
	int found = 0;

	lock_take(&q->lock);
	for (; found < room && (e = next(q)); q->taken++) {
		if (!e->cookie)
			continue; /* of a destroyed queue pair */
		free_slots(e);
		tell(e, &wc[found++]);
	}
	__atomic_store_n(&q->ring->consumed, q->taken, __ATOMIC_RELEASE);
	lock_give(&q->lock);
	return found;
}

void queue_forget(struct queue *q, uint64_t cookie)
{
	lock_take(&q->lock);
	for (uint64_t n = q->taken; q->entries[n & q->mask].turn == n + 1; n++)
		if (q->entries[n & q->mask].cookie == cookie)
			q->entries[n & q->mask].cookie = 0;
	lock_give(&q->lock);
}

/* The next completion causes an event; one that is already in the queue does not. */
int queue_arm(struct ibv_cq *cq, int solicited_only)
{
	const struct queue *q = queue_of(cq);
	uint64_t there = q->taken;

	while (__atomic_load_n(&q->entries[there & q->mask].turn, __ATOMIC_ACQUIRE) == there + 1)
		there++;
	board_ring(q->doorbells, CARD_ARM,
		   (solicited_only ? CARD_SOLICITED : 0) | (uint64_t)q->handle << 32 | (uint32_t)there);
	return 0;
}

/* The next entry, which stays in the queue until the program ends polling. */
static int next_poll(struct ibv_cq_ex *more)
{
	struct queue *q = (struct queue *)more;
	const struct card_cqe *e;

	while ((e = next(q)) && !e->cookie)
		q->taken++; /* of a destroyed queue pair */
	if (!e)
		return ENOENT;
	free_slots(e);
	q->taken++;
	q->entry = e;
	more->wr_id = e->wr_id;
	more->status = e->status;
	return 0;
}

static void end_poll(struct ibv_cq_ex *more)
{
	struct queue *q = (struct queue *)more;

	__atomic_store_n(&q->ring->consumed, q->taken, __ATOMIC_RELEASE);
	lock_give(&q->lock);
}

static int start_poll(struct ibv_cq_ex *more, struct ibv_poll_cq_attr *attr)
{
	int error;

	if (attr->comp_mask)
		return EINVAL;
	lock_take(&((struct queue *)more)->lock);
	error = next_poll(more);
	if (error)
		end_poll(more);
	return error;
}

#define READS(type, name, value)                                                                                       \
	static type read_##name(struct ibv_cq_ex *more)                                                                \
	{                                                                                                              \
		const struct card_cqe *e = ((const struct queue *)more)->entry;                                        \
                                                                                                                       \
		return (void)e, value;                                                                                 \
	}

READS(enum ibv_wc_opcode, opcode, e->opcode)
READS(uint32_t, vendor_err, 0)
READS(uint32_t, byte_len, e->bytes)
READS(__be32, imm_data, e->imm)
READS(uint32_t, qp_num, e->qp)
READS(uint32_t, src_qp, e->source_qp)
READS(unsigned int, wc_flags, e->flags)
READS(uint32_t, slid, 0)
READS(uint8_t, sl, 0)
READS(uint8_t, dlid_path_bits, 0)
READS(uint64_t, completion_ts, e->at_ns)

void queue_extend(struct queue *q)
{
	q->more.start_poll = start_poll;
	q->more.next_poll = next_poll;
	q->more.end_poll = end_poll;
	q->more.read_opcode = read_opcode;
	q->more.read_vendor_err = read_vendor_err;
	q->more.read_byte_len = read_byte_len;
	q->more.read_imm_data = read_imm_data;
	q->more.read_qp_num = read_qp_num;
	q->more.read_src_qp = read_src_qp;
	q->more.read_wc_flags = read_wc_flags;
	q->more.read_slid = read_slid;
	q->more.read_sl = read_sl;
	q->more.read_dlid_path_bits = read_dlid_path_bits;
	q->more.read_completion_ts = read_completion_ts;
}
