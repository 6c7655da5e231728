#include "verbs_link.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "least.h"
#include "watch.h"

/* The wr_id of a control message. That of a data request is the number of messages that it completes; for pings an
 * upper bound. */
#define CONTROL_ID 0
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
		.wr_id = l->flow.signal_every,
		.next = last && (message + 1) % l->flow.post_list == 0 ? NULL : &l->ring[at + 1],
		.sg_list = &l->pieces[at],
		.num_sge = 1,
		.opcode = opcode(l),
		.send_flags = (l->flow.inline_bytes ? IBV_SEND_INLINE : 0) |
			      (last && (message + 1) % l->flow.signal_every == l->signal_phase ? IBV_SEND_SIGNALED : 0),
		.wr.rdma = { l->there.buffer + buffer_offset(l->flow.size_bytes, message % l->flow.slots) + offset,
			     l->there.buffer_key },
	};
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

static void post_send(struct link *l, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int error = ibv_post_send(l->qp, wr, &bad);

	if (error)
		die("ibv_post_send: %s", strerror(error));
}

/* The end of a round: the last post list may be shorter, and its last request is signalled. */
static void post_last(struct link *l, struct ibv_send_wr *first, struct ibv_send_wr *last)
{
	const struct ibv_send_wr as_built = *last;

	last->next = NULL;
	last->send_flags |= IBV_SEND_SIGNALED;
	last->wr_id = (l->messages - 1) % l->flow.signal_every + 1;
	post_send(l, first);
	*last = as_built;
}

/* A post list of the ring, or a part of it. */
static void post_piece(struct link *l, struct ibv_send_wr *first, struct ibv_send_wr *last)
{
	struct ibv_send_wr *const next = last->next;

	last->next = NULL;
	post_send(l, first);
	last->next = next;
}

uint64_t verbs_send_post(struct link *l, uint64_t messages)
{
	struct ibv_send_wr *first = &l->ring[l->posted % l->ring_messages * l->flow.operations];
	struct ibv_send_wr *last = first + messages * l->flow.operations - 1;

	l->posted += messages;
	if (l->posted == l->messages)
		post_last(l, first, last);
	else
		post_piece(l, first, last);
	return messages;
}

void verbs_send_one(struct link *l)
{
	post_send(l, l->next);
	l->posted++;
	/* Computed while this message is in flight. */
	l->next = &l->ring[l->posted % l->ring_messages];
	l->signalled = l->posted % l->flow.signal_every == l->signal_phase;
}

static uint64_t completed(struct link *l, const struct ibv_wc *wc, int found)
{
	uint64_t messages = 0;

	for (int i = 0; i < found; i++) {
		watch_advance();
		messages += wc[i].wr_id;
		l->controls_out -= wc[i].wr_id == CONTROL_ID;
	}
	return messages;
}

uint64_t verbs_send_peek(struct link *l)
{
	struct ibv_wc wc[BATCH];

	return completed(l, wc, verbs_queue_poll(&l->sends, BATCH, wc));
}

uint64_t verbs_send_reap(struct link *l)
{
	struct ibv_wc wc[BATCH];

	return completed(l, wc, l->sends.wait(&l->sends, BATCH, wc));
}

void verbs_send_drain(struct link *l)
{
	while (l->controls_out > 0)
		verbs_send_reap(l);
}

static void send_immediate(struct link *l, uint32_t number)
{
	struct ibv_send_wr wr = {
		.wr_id = CONTROL_ID,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(number),
	};

	if (l->controls_out >= VERBS_SPARE / 2)
		verbs_send_drain(l);
	l->controls_out++;
	post_send(l, &wr);
}

void verbs_send_control(struct link *l, enum control control)
{
	send_immediate(l, VERBS_CONTROL | control);
}

void verbs_send_order(struct link *l, uint32_t number)
{
	send_immediate(l, number);
}
