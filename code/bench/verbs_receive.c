#include "verbs_link.h"

#include <arpa/inet.h>
#include <string.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "watch.h"

#define BATCH 64 /* requests per post, or completions per poll */

/* A round that ends by time leaves requests over for the next one, maybe of larger messages: a request may receive any
 * piece of any message. So all pieces arrive at the start of a slot, where there is room for the largest; --verify,
 * which counts messages, checks each piece at its offset. */
static void post_batch(struct link *l, struct verbs_pair *p, uint64_t count)
{
	struct ibv_recv_wr wr[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	const uint64_t chunk = verbs_chunk_bytes(l), operations = l->options->verify ? l->flow.operations : 1;
	const unsigned char *end = l->buffer.bytes + l->buffer.regions * l->buffer.region_bytes, *place;
	uint64_t offset;
	int error;

	for (uint64_t i = 0; i < count; i++, p->queued++) {
		offset = p->queued % operations * chunk;
		place = verbs_incoming(l, p->queued / operations) + offset;
		sge[i] = (struct ibv_sge){ (uintptr_t)place, (uint32_t)least(chunk, (uint64_t)(end - place)),
					   l->mr->lkey };
		wr[i] = (struct ibv_recv_wr){ .next = i + 1 < count ? &wr[i + 1] : NULL,
					      .sg_list = &sge[i],
					      .num_sge = 1 };
	}
	error = ibv_post_recv(p->qp, wr, &bad);
	if (error)
		die("ibv_post_recv: %s", strerror(error));
}

/* Keeps up to rx_depth receive requests posted, and no more than the round will use, unless an earlier one left more.
 */
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

static void stamp(struct link *l)
{
	const uint64_t ns = now_ns();

	if (l->first_ns == 0)
		l->first_ns = ns;
	l->lost.time_ns = ns - l->first_ns;
}

/* Leaves the completions of data. */
static int take_controls(struct link *l, struct ibv_wc *wc, int found)
{
	int data = 0;

	for (int i = 0; i < found; i++)
		if (wc[i].qp_num == l->control.qp->qp_num)
			l->control.inbox[l->control.arrived++ % VERBS_CONTROLS] = ntohl(wc[i].imm_data);
		else if (data++ != i)
			wc[data - 1] = wc[i];
	if (data > 0)
		stamp(l);
	return data;
}

static void received(struct link *l, struct ibv_wc *wc, int found)
{
	if (l->counts)
		found = take_controls(l, wc, found);
	for (int i = 0; i < found && l->until_stopped; i++)
		l->ended += wc[i].wc_flags & IBV_WC_WITH_IMM && wc[i].imm_data == htonl(VERBS_LAST);
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

static bool is_over(const struct link *l)
{
	if (l->until_stopped)
		return l->ended == l->pair_count;
	for (uint64_t i = 0; i < l->pair_count; i++)
		if (l->pairs[i].arrived < l->pairs[i].expected)
			return false;
	return true;
}

void verbs_receive_some(struct link *l)
{
	struct ibv_wc wc[BATCH];

	received(l, wc, l->receives.wait(&l->receives, BATCH, wc));
}

void verbs_receive_round(struct link *l)
{
	while (!is_over(l))
		verbs_receive_some(l);
}
