/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pool.h"

#include <errno.h>
#include <stdlib.h>

#include "board.h"
#include "events.h"
#include "pages.h"
#include "real.h"

static int pool_create_on_card(struct pool *pool)
{
	struct card_request request = {
		.op = CARD_CREATE_SRQ,
		.address = (uintptr_t)pool->slots.first,
		.length = slots_bytes(&pool->slots),
		.arguments.srq = { .cookie = (uintptr_t)pool,
				   .pd = pool->srq.pd->handle,
				   .slots = pool->slots.count,
				   .slot_bytes = pool->slots.bytes,
				   .limit = pool->limit },
	};
	int error = board_request(pool->srq.context, &request);

	pool->handle = request.handle;
	return error;
}

static int pool_init(struct pool *pool, struct board *board, const struct ibv_srq_init_attr *attr)
{
	pool->srq = (struct ibv_srq){ .context = board->context,
				      .srq_context = attr->srq_context,
				      .pd = pool->real->pd,
				      .handle = pool->real->handle };
	pthread_mutex_init(&pool->srq.mutex, NULL);
	pthread_cond_init(&pool->srq.cond, NULL);
	pool->doorbells = board->doorbells;
	pool->limit = attr->attr.srq_limit;
	slots_size(&pool->slots, attr->attr.max_wr, attr->attr.max_sge, 0, 0);
	pool->slots.first = pages_take(slots_bytes(&pool->slots));
	return pool->slots.first ? pool_create_on_card(pool) : ENOMEM;
}

/* The SRQ of the kernel carries no data: it keeps the protection domain in use. */
static struct ibv_srq *pool_create_real(struct board *board, struct ibv_pd *pd)
{
	struct ibv_srq_init_attr small = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_pd kernels = board_pd(board, pd);
	struct ibv_srq *srq = real(ibv_create_srq)(&kernels, &small);

	if (srq)
		srq->pd = pd;
	return srq;
}

EXPORTED struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct board *board = board_of(pd->context);
	struct pool *pool;
	int error;

	if (!board)
		return real(ibv_create_srq)(pd, attr);
	if (attr->attr.max_wr < 1 || attr->attr.max_wr > CARD_SLOTS_MOST || attr->attr.max_sge > CARD_PIECES_MOST) {
		errno = EINVAL;
		return NULL;
	}
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->real = pool_create_real(board, pd);
	if (!pool->real) {
		free(pool);
		return NULL;
	}
	error = pool_init(pool, board, attr);
	if (error) {
		real(ibv_destroy_srq)(pool->real);
		pages_give(pool->slots.first, slots_bytes(&pool->slots));
		free(pool);
		errno = error;
		return NULL;
	}
	attr->attr.max_wr = pool->slots.count;
	return &pool->srq;
}

EXPORTED int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct pool *pool = pool_of(srq);
	struct card_request request = { .op = CARD_MODIFY_SRQ };

	if (!board_of(srq->context))
		return real(ibv_modify_srq)(srq, attr, mask);
	if (mask & IBV_SRQ_MAX_WR)
		return EOPNOTSUPP;
	if (!(mask & IBV_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > pool->slots.count)
		return EINVAL;
	pool->limit = attr->srq_limit;
	request.handle = pool->handle;
	request.arguments.srq = (struct card_srq){ .limit = pool->limit };
	return board_request(srq->context, &request);
}

EXPORTED int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	const struct pool *pool = pool_of(srq);

	if (!board_of(srq->context))
		return real(ibv_query_srq)(srq, attr);
	*attr = (struct ibv_srq_attr){ pool->slots.count, pool->slots.pieces_most, pool->limit };
	return 0;
}

EXPORTED int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct pool *pool = pool_of(srq);
	int error;

	if (!board_of(srq->context))
		return real(ibv_destroy_srq)(srq);
	error = real(ibv_destroy_srq)(pool->real);
	if (error)
		return error;
	board_destroy(srq->context, pool->handle);
	events_await(&srq->mutex, &srq->cond, &srq->events_completed, &pool->async_taken);
	pages_give(pool->slots.first, slots_bytes(&pool->slots));
	free(pool);
	return 0;
}
