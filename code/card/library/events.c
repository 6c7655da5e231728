/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <stdatomic.h>

#include "board.h"
#include "pair.h"
#include "pool.h"
#include "queue.h"
#include "real.h"

static void count(_Atomic uint32_t *taken)
{
	atomic_fetch_add_explicit(taken, 1, memory_order_relaxed);
}

void events_await(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *acknowledged,
		  const _Atomic uint32_t *taken)
{
	pthread_mutex_lock(mutex);
	while (*acknowledged != atomic_load(taken))
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}

EXPORTED int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user)
{
	static __typeof__(&ibv_get_cq_event) get;
	int error;

	if (!get)
		get = real(ibv_get_cq_event);
	error = get(channel, cq, user);
	if (!error && (*cq)->context->ops.poll_cq == queue_poll)
		count(&queue_of(*cq)->events_taken);
	return error;
}

EXPORTED int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	int error = real(ibv_get_async_event)(context, event);

	if (error || !board_of(context))
		return error;
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		count(&queue_of(event->element.cq)->async_taken);
		break;
	case IBV_EVENT_SRQ_LIMIT_REACHED:
	case IBV_EVENT_SRQ_ERR:
		count(&pool_of(event->element.srq)->async_taken);
		break;
	default: /* the card has no events of ports or devices */
		count(&pair_of(event->element.qp)->async_taken);
	}
	return 0;
}
