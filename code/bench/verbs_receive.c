#include "verbs_link.h"

#include <string.h>

#include "die.h"
#include "least.h"
#include "watch.h"

#define BATCH 64 /* requests per post, or completions per poll */

/* Each piece of each message has its request, in order. */
static void post_batch(struct link *l, struct verbs_pair *p, uint64_t count)
{
	struct ibv_recv_wr wr[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	const uint64_t chunk = verbs_chunk_bytes(l), operations = l->flow.operations;
	uint64_t offset;
	int error;

	for (uint64_t i = 0; i < count; i++, p->queued++) {
		offset = p->queued % operations * chunk;
		sge[i] = (struct ibv_sge){ (uintptr_t)verbs_incoming(l, p->queued / operations) + offset,
					   (uint32_t)least(chunk, l->flow.size_bytes - offset), l->mr->lkey };
		wr[i] = (struct ibv_recv_wr){ .next = i + 1 < count ? &wr[i + 1] : NULL,
					      .sg_list = &sge[i],
					      .num_sge = 1 };
	}
	error = ibv_post_recv(p->qp, wr, &bad);
	if (error)
		die("ibv_post_recv: %s", strerror(error));
}

/* Keeps up to rx_depth receive requests posted, and no more than the round will use. */
void verbs_receive_refill(struct link *l, struct verbs_pair *p)
{
	uint64_t room;

	while ((room = least(p->expected - p->queued, l->verbs->rx_depth - (p->queued - p->arrived))) > 0)
		post_batch(l, p, least(room, BATCH));
}

void verbs_receive_message(struct link *l)
{
	struct ibv_wc wc;

	l->receives.wait(&l->receives, 1, &wc);
	l->pairs->arrived++;
}

void verbs_receive_round(struct link *l)
{
	struct verbs_pair *p = l->pairs;
	struct ibv_wc wc[BATCH];

	while (p->arrived < p->expected) {
		p->arrived += (uint64_t)l->receives.wait(&l->receives, BATCH, wc);
		verbs_receive_refill(l, p);
		watch_advance();
	}
}
