/* Completion queues, how --wait waits for it, and the message of a completion that failed. */
#ifndef VERBS_QUEUE_H
#define VERBS_QUEUE_H

#include <infiniband/verbs.h>

#include "verbs_options.h"

/* One completion queue or several, and the channel of their events. */
struct verbs_queue {
	struct ibv_cq *cq; /* the only one, or the one that was polled last */
	struct ibv_cq *cqs[VERBS_PAIRS_MAX];
	uint64_t count, turn; /* how many there are, and which is polled next */
	struct ibv_comp_channel *channel;
	int (*wait)(struct verbs_queue *, int room,
		    struct ibv_wc *); /* waits for at least one completion; all are successful */
};

/* Opens q->count queues whose events interrupt the CPU of a completion vector. */
void verbs_queue_open(struct verbs_queue *q, struct ibv_context *context, uint64_t entries, enum wait wait,
		      uint64_t vector);

_Noreturn void verbs_status_die(const struct ibv_wc *wc);
_Noreturn void verbs_poll_die(int result); /* of ibv_poll_cq() */

/* Inlined into the loops of a single queue, where it is most of what an end does for a message. */
static inline int verbs_queue_poll_one(struct verbs_queue *q, int room, struct ibv_wc *wc)
{
	const int found = ibv_poll_cq(q->cq, room, wc);

	if (found < 0)
		verbs_poll_die(found);
	for (int i = 0; i < found; i++)
		if (wc[i].status != IBV_WC_SUCCESS)
			verbs_status_die(&wc[i]);
	return found;
}

/* Takes up to room completions without waiting; all are successful. */
int verbs_queue_poll(struct verbs_queue *q, int room, struct ibv_wc *wc);
void verbs_queue_close(struct verbs_queue *q);

#endif
