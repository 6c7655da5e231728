#include "verbs_link.h"

#include <sched.h>
#include <string.h>

#include "die.h"
#include "polling.h"
#include "ticks.h"
#include "verbs_queue.h"
#include "watch.h"

/* Nothing that can wait is done between an arrival and the message that follows it: the rest is done while that message
 * is in flight. Each direction is a send and an await, which are inlined into the loops. */
typedef void half(struct link *);

static inline __attribute__((always_inline)) void pings(struct link *l, uint64_t messages, uint64_t *stamps, half *send,
							half *await)
{
	for (uint64_t i = 0; i < messages; i++) {
		send(l);
		watch_advance();
		await(l);
		stamps[i] = ticks_now();
	}
}

static inline __attribute__((always_inline)) void pongs(struct link *l, uint64_t messages, half *await, half *send)
{
	for (uint64_t i = 0; i < messages; i++) {
		await(l);
		send(l);
		watch_advance();
	}
}

/* The completion of a signalled message frees its queue entry and those of all before it; on a real card nothing else
 * does. It has arrived when the answer has, or soon after. */
static void reap_signalled(struct link *l)
{
	if (l->signalled)
		verbs_send_reap(l);
}

void verbs_marks_begin(struct link *l)
{
	const uint64_t last = l->flow.size_bytes - 1;

	l->mark_out = verbs_outgoing(l, 0) + last;
	l->mark_in = verbs_incoming(l, 0) + last;
	*l->mark_in = 0;
}

/* A WRITE is seen only by its last byte. */
static inline void await_mark(struct link *l)
{
	const volatile unsigned char *const byte = l->mark_in;
	const bool yields = l->options->wait == WAIT_YIELD;
	const unsigned char mark = l->mark;

	l->mark = mark == UINT8_MAX ? 1 : mark + 1;
	polling_begins();
	while (*byte != mark)
		if (yields)
			sched_yield();
	polling_was_in_vain();
}

static inline void ask_by_mark(struct link *l)
{
	*l->mark_out = l->mark;
	verbs_send_one(l);
}

static inline void await_answer_by_mark(struct link *l)
{
	await_mark(l);
	reap_signalled(l);
}

static inline void answer_by_mark(struct link *l)
{
	*l->mark_out = *l->mark_in;
	verbs_send_one(l);
	reap_signalled(l);
}

/* An end that waits for a mark polls memory only, and would not see that its own message has failed. Elsewhere the
 * interrupted call may hold the lock of the queue: this end waits only while neither the awaited mark nor the next one
 * is there. */
static void look_at_sends(void *link)
{
	struct link *const l = link;
	const unsigned char there = *l->mark_in, awaited = l->mark == 1 ? UINT8_MAX : l->mark - 1;

	if (there != awaited && there != l->mark && verbs_send_peek(l) > 0)
		l->signalled = false;
}

/* The answer to this message may arrive before a receive is posted, if the previous message took the last one. */
static inline void ask_by_message(struct link *l)
{
	if (l->pairs->queued == l->pairs->arrived)
		verbs_receive_refill(l, l->pairs);
	verbs_send_one(l);
	verbs_receive_refill(l, l->pairs);
}

static inline void await_answer_by_message(struct link *l)
{
	verbs_receive_message(l);
	reap_signalled(l);
}

static inline void answer_by_message(struct link *l)
{
	ask_by_message(l);
	reap_signalled(l);
}

/* The target takes no part in a READ, so the instructions of this end are a visible part of the round trip: no function
 * is called here except those of the provider. */
static inline void read_extended(struct link *l)
{
	const struct ibv_send_wr *wr = l->ring;
	struct ibv_qp_ex *qp = l->extended;
	int error;

	ibv_wr_start(qp);
	qp->wr_id = wr->wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	ibv_wr_set_sge(qp, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
	error = ibv_wr_complete(qp);
	if (error)
		die("ibv_wr_complete: %s", strerror(error));
}

/* The READ of a device that has only the older call. */
static inline void read_posted(struct link *l)
{
	struct ibv_send_wr *bad;
	int error = ibv_post_send(l->pairs->qp, l->ring, &bad);

	if (error)
		die("ibv_post_send: %s", strerror(error));
}

static inline void poll_for_one(struct link *l)
{
	struct ibv_cq *const cq = l->sends.cq;
	struct ibv_wc wc;
	int found;

	polling_begins();
	while ((found = ibv_poll_cq(cq, 1, &wc)) == 0)
		polling_was_in_vain();
	if (found < 0)
		verbs_poll_die(found);
	if (wc.status != IBV_WC_SUCCESS)
		verbs_status_die(&wc);
}

static inline void wait_for_one(struct link *l)
{
	struct ibv_wc wc;

	l->sends.wait(&l->sends, 1, &wc);
}

void verbs_pings(struct link *l, uint64_t messages, uint64_t *stamps)
{
	watch_look(l->flow.marked ? look_at_sends : NULL, l);
	if (l->flow.to_client && l->options->wait != WAIT_POLL)
		pings(l, messages, stamps, read_posted, wait_for_one);
	else if (l->flow.to_client && l->extended)
		pings(l, messages, stamps, read_extended, poll_for_one);
	else if (l->flow.to_client)
		pings(l, messages, stamps, read_posted, poll_for_one);
	else if (l->flow.marked)
		pings(l, messages, stamps, ask_by_mark, await_answer_by_mark);
	else
		pings(l, messages, stamps, ask_by_message, await_answer_by_message);
	watch_look(NULL, NULL);
}

void verbs_pongs(struct link *l, uint64_t messages)
{
	if (l->flow.to_client)
		return; /* the device answers */
	watch_look(l->flow.marked ? look_at_sends : NULL, l);
	if (l->flow.marked)
		pongs(l, messages, await_mark, answer_by_mark);
	else
		pongs(l, messages, verbs_receive_message, answer_by_message);
	watch_look(NULL, NULL);
}
