/* RDMA verbs on a reliable connection: WRITE, READ, SEND and WRITE with immediate. */
#include "verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "die.h"
#include "watch.h"

#define CONTROL 0x1abc0de0u /* the immediate of a control message, which carries no bytes */
#define CONTROL_ID 0        /* its wr_id; that of a data request is the number of messages it completes */
#define CONTROLS_AHEAD 4    /* receive requests that stand ready for control messages */
#define CHAIN_MAX 64        /* messages that one call hands over, if --post-list leaves it to us ... */
#define CHAIN_BYTES 262144  /* ... and their bytes */
#define BATCH 64            /* completions fetched, or receive requests posted, by one call */

static bool two_sided(const struct link *l)
{
	return l->verbs->operation == OP_SEND || l->verbs->operation == OP_WRITE_IMM;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t chunk_bytes(const struct link *l)
{
	return least(l->here.max_message_bytes, l->there.max_message_bytes);
}

static unsigned char *verbs_outgoing(struct link *l, uint64_t message)
{
	return buffer_outgoing(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

static unsigned char *verbs_incoming(struct link *l, uint64_t message)
{
	return buffer_incoming(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

/* ---- receive requests ---- */

/* Each takes all that its place has room for: one that a control message used up, or left over, may serve the next
 * size. */
static void receives_post(struct link *l, uint64_t count)
{
	struct ibv_recv_wr wr[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	const uint64_t chunk = chunk_bytes(l), operations = l->flow.operations;
	const unsigned char *end = l->buffer.bytes + l->buffer.regions * l->buffer.region_bytes, *place;
	uint64_t offset;

	for (uint64_t i = 0; i < count; i++, l->queued++) {
		offset = l->queued % operations * chunk;
		place = verbs_incoming(l, l->queued / operations) + offset;
		sge[i] = (struct ibv_sge){ (uintptr_t)place, (uint32_t)least(chunk, (uint64_t)(end - place)),
					   l->mr->lkey };
		wr[i] = (struct ibv_recv_wr){ .next = i + 1 < count ? &wr[i + 1] : NULL,
					      .sg_list = &sge[i],
					      .num_sge = 1 };
	}
	if (count > 0 && ibv_post_recv(l->qp, wr, &bad))
		die("ibv_post_recv: %s", strerror(errno));
}

/* Keeps up to rx_depth receive requests ready, and no more than the round will use. */
static void receives_refill(struct link *l)
{
	uint64_t room;

	while ((room = least(l->expected - l->queued, l->verbs->rx_depth - (l->queued - l->arrived))) > 0)
		receives_post(l, least(room, BATCH));
}

/* A control message has no bytes: any place will do for it. */
static void receives_post_controls(struct link *l, unsigned int count)
{
	struct ibv_recv_wr wr = { .num_sge = 0 }, *bad;
	struct ibv_sge sge = { (uintptr_t)l->buffer.bytes + (l->buffer.regions - 1) * l->buffer.region_bytes,
			       (uint32_t)least(l->buffer.region_bytes, UINT32_MAX), l->mr->lkey };

	wr.sg_list = &sge;
	wr.num_sge = 1;
	for (unsigned int i = 0; i < count; i++)
		if (ibv_post_recv(l->qp, &wr, &bad))
			die("ibv_post_recv: %s", strerror(errno));
}

/* ---- the ring of prebuilt send requests ---- */

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
	const uint64_t chunk = chunk_bytes(l), offset = piece * chunk;
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
			      (last && (message + 1) % l->flow.signal_every == 0 ? IBV_SEND_SIGNALED : 0),
		.wr.rdma = { l->there.buffer + buffer_offset(l->flow.size_bytes, message % l->flow.slots) + offset,
			     l->there.buffer_key },
	};
}

static void ring_build(struct link *l)
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
}

static void post_send(struct link *l, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int error = ibv_post_send(l->qp, wr, &bad);

	if (error)
		die("ibv_post_send: %s", strerror(error));
}

/* The end of a round: a chain that may be shorter, whose last request is signalled for what is left. */
static void post_last(struct link *l, struct ibv_send_wr *first, struct ibv_send_wr *last)
{
	const struct ibv_send_wr as_built = *last;

	last->next = NULL;
	last->send_flags |= IBV_SEND_SIGNALED;
	last->wr_id = (l->messages - 1) % l->flow.signal_every + 1;
	post_send(l, first);
	*last = as_built;
}

static uint64_t verbs_post(struct link *l, uint64_t messages)
{
	struct ibv_send_wr *first = &l->ring[l->posted % l->ring_messages * l->flow.operations];

	l->posted += messages;
	if (l->posted == l->messages)
		post_last(l, first, first + messages * l->flow.operations - 1);
	else
		post_send(l, first);
	return messages;
}

static uint64_t completed(struct link *l, const struct ibv_wc *wc, int found)
{
	uint64_t messages = 0;

	for (int i = 0; i < found; i++) {
		messages += wc[i].wr_id;
		l->controls_out -= wc[i].wr_id == CONTROL_ID;
	}
	return messages;
}

static uint64_t verbs_peek(struct link *l)
{
	struct ibv_wc wc[BATCH];

	return completed(l, wc, verbs_queue_poll(&l->sends, BATCH, wc));
}

static uint64_t verbs_reap(struct link *l)
{
	struct ibv_wc wc[BATCH];

	return completed(l, wc, l->sends.wait(&l->sends, BATCH, wc));
}

/* ---- control messages ---- */

static void verbs_drain(struct link *l)
{
	while (l->controls_out > 0)
		verbs_reap(l);
}

static void verbs_signal(struct link *l)
{
	struct ibv_send_wr wr = {
		.wr_id = CONTROL_ID,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = CONTROL,
	};

	if (l->controls_out >= VERBS_SPARE / 2)
		verbs_drain(l);
	l->controls_out++;
	post_send(l, &wr);
}

static void verbs_await(struct link *l)
{
	struct ibv_wc wc;

	l->receives.wait(&l->receives, 1, &wc);
	if (!(wc.wc_flags & IBV_WC_WITH_IMM) || wc.imm_data != CONTROL)
		die("the other end sent something that is no control message");
	receives_post_controls(l, 1);
	watch_advance();
}

/* Two-sided operations show the server by themselves that all is there. */
static void verbs_finish(struct link *l)
{
	if (!two_sided(l))
		verbs_signal(l);
}

static void verbs_arrive(struct link *l)
{
	struct ibv_wc wc[BATCH];

	if (!two_sided(l)) {
		verbs_await(l);
		return;
	}
	while (l->arrived < l->expected) {
		l->arrived += (uint64_t)l->receives.wait(&l->receives, BATCH, wc);
		receives_refill(l);
		watch_advance();
	}
}

/* ---- ping-pong ---- */

static void verbs_send_one(struct link *l)
{
	if (l->flow.marked) {
		l->mark = l->mark == UINT8_MAX ? 1 : l->mark + 1;
		verbs_outgoing(l, 0)[l->flow.size_bytes - 1] = l->mark;
	}
	verbs_post(l, 1);
}

/* The completion of a signalled ping frees its place in the queue; the answer is here, so it is too, or soon. */
static void reap_if_signalled(struct link *l)
{
	if (l->posted % l->flow.signal_every == 0 || l->posted == l->messages)
		while (verbs_reap(l) == 0)
			;
}

/* Data that was written announces itself by nothing but its last byte. */
static void await_mark(struct link *l, unsigned char mark)
{
	const volatile unsigned char *last = verbs_incoming(l, 0) + l->flow.size_bytes - 1;

	while (*last != mark)
		if (l->options->wait == WAIT_YIELD)
			sched_yield();
}

static void await_message(struct link *l)
{
	struct ibv_wc wc;

	l->receives.wait(&l->receives, 1, &wc);
	l->arrived++;
	receives_refill(l);
}

static void verbs_ping(struct link *l)
{
	verbs_send_one(l);
	if (l->flow.marked)
		await_mark(l, l->mark);
	else if (two_sided(l))
		await_message(l);
	reap_if_signalled(l);
}

static void verbs_pong(struct link *l)
{
	if (l->flow.to_client)
		return;
	if (l->flow.marked)
		await_mark(l, l->mark == UINT8_MAX ? 1 : l->mark + 1);
	else
		await_message(l);
	verbs_send_one(l);
	reap_if_signalled(l);
}

/* ---- one size, one round ---- */

static uint64_t power_of_two_up_to(uint64_t most)
{
	uint64_t power = 1;

	while (power <= most / 2)
		power *= 2;
	return power;
}

/* Small messages cost calls and completions, large ones only bytes: chains longer than this fill the receiving
 * end's memory with packets before it looks at them, and all get slower (docs/programs.md). */
static uint64_t chain_for(uint64_t size_bytes, uint64_t most)
{
	const uint64_t wish = size_bytes <= CHAIN_BYTES ? CHAIN_BYTES / size_bytes : 1;

	return power_of_two_up_to(least(least(wish, CHAIN_MAX), most));
}

static void plan_throughput(const struct link *l, struct flow *f)
{
	const struct verbs_options *v = l->verbs;
	const uint64_t per_window = l->options->verify ? f->iterations : f->iterations / l->options->windows;
	const uint64_t half = f->depth > 1 ? f->depth / 2 : 1;

	f->signal_every = v->signal_every != AUTO ? v->signal_every :
			  v->post_list != AUTO    ? v->post_list :
						    chain_for(f->size_bytes, least(half, per_window));
	f->post_list = v->post_list != AUTO ? v->post_list : chain_for(f->size_bytes, f->signal_every);
	if (f->signal_every > per_window && !l->options->verify)
		die("%" PRIu64 " bytes: a completion every %" PRIu64 " messages leaves some of %" PRIu64
		    " windows of %" PRIu64 " iterations without one; lower --signal-every",
		    f->size_bytes, f->signal_every, l->options->windows, f->iterations);
	if (f->post_list > f->depth || f->signal_every > f->depth)
		die("%" PRIu64 " bytes take %" PRIu64 " requests each: --tx-depth %" PRIu64
		    " is too small for that --post-list or --signal-every",
		    f->size_bytes, f->operations, v->tx_depth);
}

static void plan_latency(const struct link *l, struct flow *f)
{
	if (f->operations > 1)
		die("%" PRIu64 " bytes are above what one request carries (%" PRIu64 "): a ping must be one",
		    f->size_bytes, chunk_bytes(l));
	f->post_list = 1;
	f->signal_every = f->to_client ? 1 : power_of_two_up_to(least(64, l->verbs->tx_depth));
	f->marked = l->verbs->operation == OP_WRITE;
	f->slots = 1;
}

static void verbs_plan(struct link *l, struct flow *f)
{
	const struct verbs_options *v = l->verbs;

	f->to_client = v->operation == OP_READ;
	f->operations = (f->size_bytes + chunk_bytes(l) - 1) / chunk_bytes(l);
	f->depth = v->tx_depth / f->operations;
	if (f->depth == 0)
		die("%" PRIu64 " bytes must be cut into %" PRIu64 " requests: --tx-depth must be at least that",
		    f->size_bytes, f->operations);
	f->inline_bytes = !f->to_client && f->operations == 1 && f->size_bytes <= l->inline_max ? f->size_bytes : 0;
	if (l->options->measure == THROUGHPUT)
		plan_throughput(l, f);
	else
		plan_latency(l, f);
	l->flow = *f;
}

static bool receives_data(const struct link *l)
{
	return two_sided(l) && (l->options->role == SERVER || l->options->measure == LATENCY);
}

static void verbs_begin(struct link *l, uint64_t messages)
{
	l->messages = messages;
	l->posted = l->arrived = l->queued = 0;
	l->expected = receives_data(l) ? messages * l->flow.operations : 0;
	if (l->flow.marked)
		verbs_incoming(l, 0)[l->flow.size_bytes - 1] = 0;
	if (l->options->role == CLIENT || l->options->measure == LATENCY)
		ring_build(l);
	receives_refill(l);
}

static void note(const struct link *l)
{
	csv_note("path_mtu", "%u", 128u << l->path.mtu);
	csv_note("inline_max", "%" PRIu64, l->inline_max);
	csv_note("chunk_bytes", "%" PRIu64, chunk_bytes(l));
	csv_note("post_list_rule", "as many as 256 KiB hold, at most 64, within half the depth and a window");
}

static struct link *verbs_open(const struct options *o, const struct session *s)
{
	struct link *l = calloc(1, sizeof(*l));

	if (!l)
		die("no memory for the link");
	l->options = o;
	l->verbs = verbs_options_get();
	l->side = s->peer;
	l->path = verbs_path_choose(o, l->verbs, l->side);
	l->buffer = buffer_new(o);
	verbs_connect(l);
	if (o->role == CLIENT || !two_sided(l))
		receives_post_controls(l, CONTROLS_AHEAD);
	verbs_barrier(l);
	watch_peer(l->side);
	if (o->role == CLIENT)
		note(l);
	return l;
}

static void verbs_close(struct link *l)
{
	verbs_disconnect(l);
	buffer_free(&l->buffer);
	free(l->ring);
	free(l->pieces);
	free(l);
}

const struct transport verbs_transport = {
	.name = "verbs",
	.options = verbs_option_specs,
	.check = verbs_options_check,
	.open = verbs_open,
	.plan = verbs_plan,
	.begin = verbs_begin,
	.post = verbs_post,
	.peek = verbs_peek,
	.reap = verbs_reap,
	.arrive = verbs_arrive,
	.finish = verbs_finish,
	.signal = verbs_signal,
	.await = verbs_await,
	.ping = verbs_ping,
	.pong = verbs_pong,
	.outgoing = verbs_outgoing,
	.incoming = verbs_incoming,
	.drain = verbs_drain,
	.close = verbs_close,
};
