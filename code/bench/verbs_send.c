#include "verbs_link.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "polling.h"
#include "watch.h"

#define BATCH 64 /* completions per poll */

static enum ibv_wr_opcode opcode(const struct link *l)
{
	static const enum ibv_wr_opcode codes[] = {
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_SEND] = IBV_WR_SEND,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	};

	return codes[l->verbs->operation];
}

static void ring_build_piece(struct link *l, uint64_t message, uint64_t piece)
{
	const uint64_t chunk = verbs_chunk_bytes(l), offset = piece * chunk;
	const uint64_t at = message * l->flow.operations + piece;
	const bool last = piece + 1 == l->flow.operations;
	unsigned char *local = l->flow.to_client ? verbs_incoming(l, message) : verbs_outgoing(l, message);

	l->pieces[at] = (struct ibv_sge){ (uintptr_t)local + offset,
					  (uint32_t)least(chunk, l->flow.size_bytes - offset), l->mr->lkey };
	l->ring[at] = (struct ibv_send_wr){
		.wr_id = l->flow.signal_every, /* messages that it completes; for pings an upper bound */
		.next = last && (message + 1) % l->flow.post_list == 0 ? NULL : &l->ring[at + 1],
		.sg_list = &l->pieces[at],
		.num_sge = 1,
		.opcode = opcode(l),
		.send_flags = (l->flow.inline_bytes ? IBV_SEND_INLINE : 0) |
			      (last && (message + 1) % l->flow.signal_every == l->signal_phase ? IBV_SEND_SIGNALED : 0),
		.wr.rdma = { l->there.buffer + buffer_offset(l->flow.size_bytes, message % l->flow.slots) + offset,
			     l->there.buffer_key },
	};
	if (l->ah) {
		l->ring[at].wr.ud.ah = l->ah;
		l->ring[at].wr.ud.remote_qpn = l->there.qps[0];
		l->ring[at].wr.ud.remote_qkey = VERBS_QKEY;
	}
}

void verbs_ring_build(struct link *l)
{
	const struct flow *f = &l->flow;
	uint64_t requests;

	l->ring_messages = f->post_list > f->signal_every ? f->post_list : f->signal_every;
	if (l->ring_messages < f->slots)
		l->ring_messages *= (f->slots + l->ring_messages - 1) / l->ring_messages;
	requests = l->ring_messages * f->operations;
	if (requests > l->ring_room) {
		l->ring = reallocarray(l->ring, requests, sizeof(*l->ring));
		l->pieces = reallocarray(l->pieces, requests, sizeof(*l->pieces));
		if (!l->ring || !l->pieces)
			die("no memory for %" PRIu64 " requests", requests);
		l->ring_room = requests;
	}
	for (uint64_t m = 0; m < l->ring_messages; m++)
		for (uint64_t p = 0; p < f->operations; p++)
			ring_build_piece(l, m, p);
	l->next = l->ring;
}

/* The receiver learns from the last message of a pair that it is the last. */
static void mark_last(struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_SEND)
		wr->opcode = IBV_WR_SEND_WITH_IMM;
	wr->imm_data = htonl(VERBS_LAST);
}

static inline void post_send(const struct verbs_pair *p, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int error = ibv_post_send(p->qp, wr, &bad);

	if (error)
		die("ibv_post_send: %s", strerror(error));
}

/* The end of a round: the last post list may be shorter, and its last request is signalled. */
static void post_last(struct link *l, struct verbs_pair *p, struct ibv_send_wr *first, struct ibv_send_wr *last)
{
	const struct ibv_send_wr as_built = *last;

	last->next = NULL;
	last->send_flags |= IBV_SEND_SIGNALED;
	last->wr_id = (p->messages - 1) % l->flow.signal_every + 1;
	if (l->until_stopped)
		mark_last(last);
	post_send(p, first);
	*last = as_built;
}

/* A post list of the ring, or a part of it. */
static void post_piece(struct verbs_pair *p, struct ibv_send_wr *first, struct ibv_send_wr *last)
{
	struct ibv_send_wr *const next = last->next;

	last->next = NULL;
	post_send(p, first);
	last->next = next;
}

/* Each pair ends with its next completion. */
uint64_t verbs_send_stop(struct link *l)
{
	uint64_t messages = 0;

	for (uint64_t i = 0; i < l->pair_count; i++) {
		struct verbs_pair *p = &l->pairs[i];

		p->messages = (p->posted / l->flow.signal_every + 1) * l->flow.signal_every;
		messages += p->messages;
	}
	return messages;
}

static void address_to_pair(const struct link *l, const struct verbs_pair *p, uint64_t messages)
{
	struct ibv_send_wr *wr = &l->ring[p->posted % l->ring_messages];

	for (uint64_t i = 0; i < messages; i++)
		wr[i].wr.ud.remote_qpn = l->there.qps[p - l->pairs];
}

static inline uint64_t post_to(struct link *l, struct verbs_pair *p, uint64_t messages)
{
	struct ibv_send_wr *first = &l->ring[p->posted % l->ring_messages * l->flow.operations];
	struct ibv_send_wr *last = first + messages * l->flow.operations - 1;

	p->posted += messages;
	if (p->posted == p->messages)
		post_last(l, p, first, last);
	else
		post_piece(p, first, last);
	return messages;
}

/* The pair that has begun a list, else the next one with room for a whole list; NULL if none has. */
static struct verbs_pair *pair_in_turn(struct link *l)
{
	struct verbs_pair *p = l->turn;

	if (p->posted % l->flow.post_list != 0 && p->posted < p->messages)
		return p;
	for (uint64_t i = 0; i < l->pair_count; i++) {
		p = p + 1 == l->pairs + l->pair_count ? l->pairs : p + 1;
		if (p->posted < p->messages && p->posted - p->done + l->flow.post_list <= l->depth)
			return l->turn = p;
	}
	return NULL;
}

static __attribute__((noinline)) uint64_t post_to_pairs(struct link *l, uint64_t messages)
{
	struct verbs_pair *const p = pair_in_turn(l);
	const uint64_t list = l->flow.post_list;

	if (!p)
		return 0;
	messages = least(messages, least(list - p->posted % list, p->messages - p->posted));
	if (l->ah)
		address_to_pair(l, p, messages);
	return post_to(l, p, messages);
}

uint64_t verbs_send_post(struct link *l, uint64_t messages)
{
	return l->pair_count == 1 ? post_to(l, l->pairs, messages) : post_to_pairs(l, messages);
}

void verbs_send_one(struct link *l)
{
	struct verbs_pair *p = l->pairs;

	post_send(p, l->next);
	p->posted++;
	/* Computed while this message is in flight. */
	l->next = &l->ring[p->posted % l->ring_messages];
	l->signalled = p->posted % l->flow.signal_every == l->signal_phase;
}

static void pair_completed(struct verbs_pair *p, uint64_t messages)
{
	p->done += messages;
	if (p->done == p->messages)
		p->end_ns = now_ns();
}

static __attribute__((noinline)) void pairs_completed(struct link *l, const struct ibv_wc *wc, int found)
{
	for (int i = 0; i < found; i++)
		pair_completed(verbs_pair_of(l, &wc[i]), wc[i].wr_id);
}

static inline uint64_t completed(struct link *l, const struct ibv_wc *wc, int found)
{
	uint64_t messages = 0;

	for (int i = 0; i < found; i++) {
		watch_advance();
		messages += wc[i].wr_id;
	}
	if (l->pair_count > 1)
		pairs_completed(l, wc, found);
	return messages;
}

size_t verbs_send_shares(struct link *l, struct sample *shares)
{
	if (l->pair_count == 1)
		return 0;
	for (uint64_t i = 0; i < l->pair_count; i++)
		shares[i] = (struct sample){ l->pairs[i].messages, l->pairs[i].end_ns };
	return l->pair_count;
}

/* Of several pairs, or of an end that receives too. */
static __attribute__((noinline)) uint64_t peek_at_all(struct link *l)
{
	struct ibv_wc wc[BATCH];

	if (l->serves)
		verbs_receive_arrived(l);
	return completed(l, wc, verbs_queue_poll(&l->sends, BATCH, wc));
}

/* The other end may need receive requests of this one before it can complete anything. */
static uint64_t reap_and_serve(struct link *l)
{
	struct ibv_wc wc[BATCH];
	int found;

	polling_begins();
	while ((found = verbs_queue_poll(&l->sends, BATCH, wc)) == 0) {
		if (verbs_receive_arrived(l)) {
			polling_begins();
			continue;
		}
		if (l->options->wait == WAIT_YIELD)
			sched_yield();
		polling_was_in_vain();
	}
	return completed(l, wc, found);
}

uint64_t verbs_send_peek(struct link *l)
{
	struct ibv_wc wc[BATCH];
	uint64_t messages = 0;
	int found;

	if (!l->is_plain)
		return peek_at_all(l);
	found = verbs_queue_poll_one(&l->sends, BATCH, wc);
	for (int i = 0; i < found; i++) {
		watch_advance();
		messages += wc[i].wr_id;
	}
	return messages;
}

uint64_t verbs_send_reap(struct link *l)
{
	struct ibv_wc wc[BATCH];

	if (l->serves)
		return reap_and_serve(l);
	return completed(l, wc, l->sends.wait(&l->sends, BATCH, wc));
}
