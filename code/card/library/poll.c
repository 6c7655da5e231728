/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polling completions: a few instructions each, without system calls. */
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
