/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>

#include "board.h"
#include "events.h"
#include "pages.h"
#include "real.h"
#include "slots.h"

static int queue_allocate(struct queue *q, int entries)
{
	const uint32_t count = power_of_two((uint32_t)entries);

	q->mask = count - 1;
	q->bytes = sizeof(*q->ring) + count * sizeof(*q->entries);
	q->ring = pages_take(q->bytes);
	q->entries = (struct card_cqe *)(q->ring + 1);
	return q->ring ? 0 : ENOMEM;
}

static int queue_create_on_card(struct queue *q, const struct ibv_comp_channel *channel)
{
	struct card_request request = {
		.op = CARD_CREATE_CQ,
		.address = (uintptr_t)q->ring,
		.length = q->bytes,
		.arguments.cq = { .cookie = (uintptr_t)q,
				  .entries = q->mask + 1,
				  .channel = channel ? channel->fd : -1 },
	};
	int error = board_request(q->cq.context, &request);

	q->handle = request.handle;
	return error;
}

static int queue_init(struct queue *q, struct board *board, int entries, void *user, struct ibv_comp_channel *channel)
{
	q->cq = (struct ibv_cq){
		.context = board->context, .channel = channel, .cq_context = user, .handle = q->real->handle
	};
	pthread_mutex_init(&q->cq.mutex, NULL);
	pthread_cond_init(&q->cq.cond, NULL);
	q->doorbells = board->doorbells;
	if (queue_allocate(q, entries))
		return ENOMEM;
	q->cq.cqe = (int)q->mask + 1;
	return queue_create_on_card(q, channel);
}

/* The queue of the kernel stays empty, and has no channel: the file of the program is of the card. */
static struct ibv_cq *queue_create_real(struct board *board, void *user, int vector)
{
	return real(ibv_create_cq)(&board->kernels.context, 1, user, NULL, vector);
}

static void count_user(struct ibv_comp_channel *channel, int more)
{
	if (!channel)
		return;
	pthread_mutex_lock(&channel->context->mutex);
	channel->refcnt += more;
	pthread_mutex_unlock(&channel->context->mutex);
}

EXPORTED struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *user,
				      struct ibv_comp_channel *channel, int vector)
{
	struct board *board = board_of(context);
	struct queue *q;
	int error;

	if (!board)
		return real(ibv_create_cq)(context, entries, user, channel, vector);
	if (entries < 1 || entries > CARD_ENTRIES_MOST) {
		errno = EINVAL;
		return NULL;
	}
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->real = queue_create_real(board, user, vector);
	if (!q->real) {
		free(q);
		return NULL;
	}
	error = queue_init(q, board, entries, user, channel);
	if (error) {
		real(ibv_destroy_cq)(q->real);
		pages_give(q->ring, q->bytes);
		free(q);
		errno = error;
		return NULL;
	}
	count_user(channel, 1);
	return &q->cq;
}

struct ibv_cq_ex *queue_create_more(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0;
	struct ibv_cq *cq;

	if (attr->wc_flags & ~(uint64_t)QUEUE_READS || attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS ||
	    flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = ibv_create_cq(context, (int)attr->cqe, attr->cq_context, attr->channel, (int)attr->comp_vector);
	if (!cq)
		return NULL;
	queue_extend(queue_of(cq));
	return &queue_of(cq)->more;
}

EXPORTED int ibv_resize_cq(struct ibv_cq *cq, int entries)
{
	return board_of(cq->context) ? EOPNOTSUPP : real(ibv_resize_cq)(cq, entries);
}

EXPORTED int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct queue *q = queue_of(cq);
	int error;

	if (!board_of(cq->context))
		return real(ibv_destroy_cq)(cq);
	error = real(ibv_destroy_cq)(q->real); /* the kernel counts its users */
	if (error)
		return error;
	board_destroy(cq->context, q->handle);
	events_await(&cq->mutex, &cq->cond, &cq->comp_events_completed, &q->events_taken);
	events_await(&cq->mutex, &cq->cond, &cq->async_events_completed, &q->async_taken);
	count_user(cq->channel, -1);
	pages_give(q->ring, q->bytes);
	free(q);
	return 0;
}
