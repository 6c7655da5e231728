#include "verbs_pingpong.h"

#include <sched.h>
#include <string.h>

#include "die.h"
#include "verbs_layout.h"
#include "verbs_receive.h"
#include "verbs_send.h"
#include "verbs_status.h"

/* Between an arrival and the message that follows it lies nothing that can wait: what is not needed for that message is
 * done while it is on its way. */

/* The message that was sent last has a completion of its own. */
static bool is_signalled(const struct link *l)
{
	return l->posted % l->flow.signal_every == l->signal_phase;
}

/* The completion of a signalled ping frees its place in the queue, and those of all before it: on a real card nothing
 * else does. The answer is here, so it is too, or soon. */
static void reap(struct link *l)
{
	while (verbs_send_reap(l) == 0)
		;
}

static unsigned char mark_after(unsigned char mark)
{
	return mark == UINT8_MAX ? 1 : mark + 1;
}

static void send_mark(struct link *l, unsigned char mark)
{
	*l->mark_out = mark;
	verbs_send_one(l);
	l->mark = mark_after(mark);
}

/* Data that was written announces itself by nothing but its last byte. */
static void await_mark(struct link *l, unsigned char mark)
{
	const volatile unsigned char *const byte = l->mark_in;
	const bool yields = l->options->wait == WAIT_YIELD;

	while (*byte != mark)
		if (yields)
			sched_yield();
}

/* A message that follows one which took the last receive request may be answered sooner than another is posted. */
static void send_message(struct link *l)
{
	if (l->queued == l->arrived)
		verbs_receive_refill(l);
	verbs_send_one(l);
	verbs_receive_refill(l);
}

static inline void poll_for_one(struct link *l)
{
	struct ibv_cq *const cq = l->sends.cq;
	struct ibv_wc wc;
	int found;

	while ((found = ibv_poll_cq(cq, 1, &wc)) == 0)
		;
	if (found < 0)
		verbs_poll_die(found);
	if (wc.status != IBV_WC_SUCCESS)
		verbs_status_die(&wc);
}

/* The shortest way there is, with no function between the provider's own: the target takes no part in a READ, so
 * that these instructions are a visible part of its round trip. */
static void ping_read_polled(struct link *l)
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
	poll_for_one(l);
}

/* The same where the device has the older call only. */
static void ping_read_posted(struct link *l)
{
	struct ibv_send_wr *bad;
	int error = ibv_post_send(l->qp, l->ring, &bad);

	if (error)
		die("ibv_post_send: %s", strerror(error));
	poll_for_one(l);
}

static void ping_read(struct link *l)
{
	struct ibv_wc wc;

	verbs_send_one(l);
	l->sends.wait(&l->sends, 1, &wc);
}

static void pong_read(struct link *l)
{
	(void)l; /* the device answers */
}

static void ping_marked(struct link *l)
{
	const unsigned char mark = l->mark;
	bool signalled;

	send_mark(l, mark);
	signalled = is_signalled(l);
	await_mark(l, mark);
	if (signalled)
		reap(l);
}

static void pong_marked(struct link *l)
{
	const unsigned char mark = l->mark;

	await_mark(l, mark);
	send_mark(l, mark);
	if (is_signalled(l))
		reap(l);
}

static void ping_message(struct link *l)
{
	bool signalled;

	send_message(l);
	signalled = is_signalled(l);
	verbs_receive_message(l);
	if (signalled)
		reap(l);
}

static void pong_message(struct link *l)
{
	verbs_receive_message(l);
	send_message(l);
	if (is_signalled(l))
		reap(l);
}

static void (*read_chosen(const struct link *l))(struct link *)
{
	if (l->options->wait != WAIT_POLL)
		return ping_read;
	return l->extended ? ping_read_polled : ping_read_posted;
}

void verbs_pingpong_choose(struct link *l)
{
	const bool asks = l->options->role == CLIENT;

	l->mark_out = verbs_outgoing(l, 0) + l->flow.size_bytes - 1;
	l->mark_in = verbs_incoming(l, 0) + l->flow.size_bytes - 1;
	if (l->flow.to_client && asks)
		l->pingpong = read_chosen(l);
	else if (l->flow.to_client)
		l->pingpong = pong_read;
	else if (l->flow.marked)
		l->pingpong = asks ? ping_marked : pong_marked;
	else
		l->pingpong = asks ? ping_message : pong_message;
}

void verbs_pingpong(struct link *l)
{
	l->pingpong(l);
}
