/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Posting receives, to the queue of a queue pair or to a shared queue. */
#include <errno.h>

#include "pair.h"
#include "pool.h"

static inline int receive_write_slot(struct slots *s, const struct ibv_recv_wr *wr)
{
	struct card_wqe *w = slots_next(s);
	struct card_piece *pieces = (struct card_piece *)(w + 1);

	if (!w)
		return ENOMEM;
	if ((uint32_t)wr->num_sge > s->pieces_most)
		return EINVAL;
	w->wr_id = wr->wr_id;
	w->pieces = (uint32_t)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++)
		pieces[i] = (struct card_piece){ wr->sg_list[i].addr, wr->sg_list[i].length, wr->sg_list[i].lkey };
	return 0;
}

static int post(struct slots *s, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad, volatile uint64_t *doorbells,
		uint32_t handle)
{
	uint32_t before;
	int error = 0;

	lock_take(&s->lock);
	before = s->posted;
	for (; wr; wr = wr->next, s->posted++) {
		error = receive_write_slot(s, wr);
		if (error) {
			if (error == ENOMEM)
				slots_report("the receive queue of %u requests is full", s->count);
			*bad = wr;
			break;
		}
	}
	if (s->posted != before)
		board_ring(doorbells, CARD_RECV, (uint64_t)handle << 32 | s->posted);
	lock_give(&s->lock);
	return error;
}

int pair_receive(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct pair *p = pair_of(qp);

	if (!p->receiving || qp->srq) {
		*bad = wr;
		return EINVAL;
	}
	return post(&p->own_receives, wr, bad, p->doorbells, qp->qp_num);
}

int pool_receive(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct pool *pool = pool_of(srq);

	return post(&pool->slots, wr, bad, pool->doorbells, pool->handle);
}
