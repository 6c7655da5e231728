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

/* Receive requests of several pairs are posted many at a time: a call for each message would be the most of its cost.
 */
static void receive_of_pairs(struct link *l, const struct ibv_wc *wc, int found)
{
	struct verbs_pair *p;

	for (int i = 0; i < found; i++) {
		p = verbs_pair_of(l, &wc[i]);
		p->arrived++;
		if (2 * (p->queued - p->arrived) <= l->verbs->rx_depth)
			verbs_receive_refill(l, p);
	}
}

static void received(struct link *l, const struct ibv_wc *wc, int found)
{
	if (l->pair_count > 1) {
		receive_of_pairs(l, wc, found);
	} else {
		l->pairs->arrived += (uint64_t)found;
		verbs_receive_refill(l, l->pairs);
	}
	watch_advance();
}

bool verbs_receive_arrived(struct link *l)
{
	struct ibv_wc wc[BATCH];
	const int found = verbs_queue_poll(&l->receives, BATCH, wc);

	if (found > 0)
		received(l, wc, found);
	return found > 0;
}

void verbs_receive_round(struct link *l)
{
	struct ibv_wc wc[BATCH];
	uint64_t due = 0;
	int found;

	for (uint64_t i = 0; i < l->pair_count; i++)
		due += l->pairs[i].expected - l->pairs[i].arrived;
	for (; due > 0; due -= (uint64_t)found) {
		found = l->receives.wait(&l->receives, BATCH, wc);
		received(l, wc, found);
	}
}
