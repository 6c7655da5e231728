#include "verbs_queue.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "die.h"
#include "polling.h"

static const char *advice(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_RETRY_EXC_ERR:
		return "no acknowledgement came: the other end has died, or the path is broken; check that both ends "
		       "use GIDs of one network, that MTUs agree, and that no firewall stops UDP port 4791";
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return "the other end had no receive request: raise --rx-depth or lower --tx-depth";
	case IBV_WC_REM_ACCESS_ERR:
		return "the other end does not allow that access: its buffer is smaller, or its key has changed";
	case IBV_WC_REM_INV_REQ_ERR:
		return "the other end refused the request: a message longer than its receive buffer, or more READs "
		       "in flight than it allows";
	case IBV_WC_REM_OP_ERR:
		return "the other end failed on the request: look at its message";
	case IBV_WC_LOC_LEN_ERR:
		return "a message is longer than its receive buffer";
	case IBV_WC_LOC_PROT_ERR:
		return "the memory is not registered for that";
	case IBV_WC_LOC_QP_OP_ERR:
		return "the device refused the request: is --inline or --tx-depth above what it can do?";
	case IBV_WC_WR_FLUSH_ERR:
		return "the queue pair had failed before: an earlier error is the cause";
	default:
		return "see ibv_wc_status in <infiniband/verbs.h>";
	}
}

void verbs_status_die(const struct ibv_wc *wc)
{
	die("work completion failed: %s (status %d, vendor %u): %s", ibv_wc_status_str(wc->status), wc->status,
	    wc->vendor_err, advice(wc->status));
}

void verbs_poll_die(int result)
{
	die("ibv_poll_cq: error %d: the device or its driver has failed; see `dmesg`", result);
}

static __attribute__((noinline)) int poll_in_turn(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	int found = 0;

	for (uint64_t i = 0; i < q->count && found == 0; i++) {
		q->cq = q->cqs[q->turn++ % q->count];
		found = verbs_queue_poll_one(q, room, wc);
	}
	return found;
}

int verbs_queue_poll(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	return q->count == 1 ? verbs_queue_poll_one(q, room, wc) : poll_in_turn(q, room, wc);
}

static int wait_poll(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	int found;

	polling_begins();
	while ((found = verbs_queue_poll(q, room, wc)) == 0)
		polling_was_in_vain();
	return found;
}

static int wait_yield(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	int found;

	polling_begins();
	while ((found = verbs_queue_poll(q, room, wc)) == 0) {
		sched_yield();
		polling_was_in_vain();
	}
	return found;
}

static void sleep_until_event(struct verbs_queue *q)
{
	struct ibv_cq *cq;
	void *context;

	while (ibv_get_cq_event(q->channel, &cq, &context))
		if (errno != EINTR)
			die("ibv_get_cq_event: %s", strerror(errno));
	ibv_ack_cq_events(cq, 1);
}

static void request_events(const struct verbs_queue *q)
{
	int error = 0;

	for (uint64_t i = 0; i < q->count && !error; i++)
		error = ibv_req_notify_cq(q->cqs[i], 0);
	if (error)
		die("ibv_req_notify_cq: %s", strerror(error));
}

/* A completion between the poll and the request for an event would cause no event: hence the second poll. */
static int wait_event(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	int found = verbs_queue_poll(q, room, wc);

	while (found == 0) {
		request_events(q);
		found = verbs_queue_poll(q, room, wc);
		if (found == 0) {
			sleep_until_event(q);
			found = verbs_queue_poll(q, room, wc);
		}
	}
	return found;
}

void verbs_queue_open(struct verbs_queue *q, struct ibv_context *context, uint64_t entries, enum wait wait,
		      uint64_t vector)
{
	static int (*const ways[])(struct verbs_queue *, int, struct ibv_wc *) = {
		[WAIT_POLL] = wait_poll,
		[WAIT_YIELD] = wait_yield,
		[WAIT_EVENT] = wait_event,
	};

	q->wait = ways[wait];
	q->channel = ibv_create_comp_channel(context);
	if (!q->channel)
		die("ibv_create_comp_channel: %s", strerror(errno));
	for (uint64_t i = 0; i < q->count; i++) {
		q->cqs[i] = ibv_create_cq(context, (int)entries, NULL, q->channel,
					  context->num_comp_vectors > 0 ?
						  (int)(vector % (uint64_t)context->num_comp_vectors) :
						  0);
		if (!q->cqs[i])
			die("ibv_create_cq(%d): %s; lower --tx-depth, --rx-depth or --pairs", (int)entries,
			    strerror(errno));
	}
	q->cq = q->cqs[0];
}

void verbs_queue_close(struct verbs_queue *q)
{
	for (uint64_t i = 0; i < q->count; i++)
		ibv_destroy_cq(q->cqs[i]);
	ibv_destroy_comp_channel(q->channel);
}
