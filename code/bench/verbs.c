#include "transport.h"

#include <inttypes.h>
#include <stdlib.h>

#include "csv.h"
#include "die.h"
#include "verbs_link.h"
#include "watch.h"

/* Whether the server sees each message by itself. */
static bool two_sided(const struct link *l)
{
	return l->verbs->operation == OP_SEND || l->verbs->operation == OP_WRITE_IMM;
}

static uint32_t count(const struct link *l)
{
	uint64_t arrived = 0;

	for (uint64_t i = 0; i < l->pair_count; i++)
		arrived += l->pairs[i].arrived;
	return (uint32_t)arrived;
}

/* The sender's first mark has the number of messages; its second one follows once the first is acknowledged. No message
 * is on its way then, since packets keep their order: what has not arrived is lost. */
static void receive_until_marks(struct link *l)
{
	const uint32_t sent = verbs_control_ordered(l);

	while (count(l) != sent && !verbs_control_is_here(l))
		verbs_receive_some(l);
	l->control.has_mark = true;
	while (verbs_receive_arrived(l))
		;
	l->lost.messages = sent - count(l);
}

/* See receive_until_marks(). */
static void send_marks(struct link *l)
{
	uint64_t sent = 0;

	for (uint64_t i = 0; i < l->pair_count; i++)
		sent += l->pairs[i].posted;
	verbs_control_order(l, (uint32_t)sent);
	verbs_control_drain(l);
	verbs_control_signal(l, CONTROL_GO);
}

/* Two-sided operations show the server that all messages have arrived, unless some may be lost. */
static void verbs_finish(struct link *l)
{
	if (l->counts)
		send_marks(l);
	else if (!two_sided(l))
		verbs_control_signal(l, CONTROL_GO);
}

static void verbs_arrive(struct link *l, struct windows *w)
{
	(void)w; /* the client has completions */
	if (l->counts)
		receive_until_marks(l);
	else if (two_sided(l))
		verbs_receive_round(l);
	else
		verbs_control_await(l);
}

static struct sample verbs_lost(struct link *l)
{
	return l->lost;
}

/* Whether data go in both directions. */
static bool both_ways(const struct link *l)
{
	return l->options->measure == LATENCY || l->options->both;
}

static bool receives_data(const struct link *l)
{
	return two_sided(l) && (l->options->role == SERVER || both_ways(l));
}

/* The pairs share the messages of a round equally. */
static void begin_pairs(struct link *l, uint64_t messages)
{
	const uint64_t count = l->pair_count, operations = receives_data(l) ? l->flow.operations : 0;
	struct verbs_pair *p = l->pairs;

	for (uint64_t i = 0; i < count; i++, p++) {
		const uint64_t left = p->queued - p->arrived; /* of a round that ended by time */

		*p = (struct verbs_pair){ .qp = p->qp,
					  .messages = messages / count + (i < messages % count),
					  .queued = left };
		p->expected = p->messages * operations;
		verbs_receive_refill(l, p);
	}
	l->turn = p - 1;
}

static void verbs_begin(struct link *l, uint64_t messages)
{
	const bool sends = l->options->role == CLIENT || both_ways(l);

	/* Counted back from the last ping, which must be reaped: a card frees queue entries only with a completion. */
	l->signal_phase = l->options->measure == LATENCY ? messages % l->flow.signal_every : 0;
	if (l->flow.marked)
		verbs_marks_begin(l);
	if (sends)
		verbs_ring_build(l);
	l->until_stopped = messages == UNTIL_STOPPED;
	l->ended = 0;
	l->first_ns = l->lost.time_ns = 0;
	begin_pairs(l, messages);
}

static void note_link(const struct link *l)
{
	csv_note("path_mtu", "%u", 128u << l->path.mtu);
	csv_note("global_route", "%s", l->global_route ? "yes" : "no");
	csv_note("posted_by", "%s", l->extended ? "ibv_wr_rdma_read" : "ibv_post_send");
	csv_note("chosen_relaxed_ordering", "%s", l->relaxed_ordering ? "yes" : "no");
	csv_note("chosen_timeout", "%u", l->timeout);
	csv_note("inline_max", "%" PRIu64, l->inline_max);
	csv_note("chunk_bytes", "%" PRIu64, verbs_chunk_bytes(l));
	csv_note("post_list_rule",
		 "half the depth and a divisor of the messages per completion; WRITE in packets of 4096 bytes: "
		 "128 packets within a window, else 64 messages and 256 KiB within half of one; with --both 4 KiB");
}

static struct link *verbs_open(const struct options *o, const struct session *s)
{
	struct link *l = calloc(1, sizeof(*l));

	if (!l)
		die("no memory for the link");
	l->options = o;
	l->verbs = verbs_options_get();
	l->side = s->peer;
	l->mark = 1;
	l->pair_count = l->verbs->pairs;
	l->serves = o->both && two_sided(l);
	l->counts = l->verbs->connection != RELIABLE && two_sided(l) && o->measure == THROUGHPUT;
	l->is_plain = l->pair_count == 1 && !l->serves;
	l->path = verbs_path_choose(o, l->verbs, l->side);
	l->buffer = buffer_new(o);
	verbs_connect(l);
	verbs_control_begin(l);
	verbs_barrier(l);
	watch_peer(l->side);
	if (o->role == CLIENT)
		note_link(l);
	return l;
}

static void verbs_close(struct link *l)
{
	verbs_disconnect(l);
	buffer_free(&l->buffer);
	free(l->ring);
	free(l->pieces);
	free(l->pair_at);
	free(l);
}

const struct transport verbs_transport = {
	.name = "verbs",
	.options = verbs_option_specs,
	.open = verbs_open,
	.plan = verbs_plan,
	.begin = verbs_begin,
	.post = verbs_send_post,
	.peek = verbs_send_peek,
	.reap = verbs_send_reap,
	.stop = verbs_send_stop,
	.shares = verbs_send_shares,
	.arrive = verbs_arrive,
	.lost = verbs_lost,
	.finish = verbs_finish,
	.signal = verbs_control_signal,
	.await = verbs_control_await,
	.order = verbs_control_order,
	.ordered = verbs_control_ordered,
	.pings = verbs_pings,
	.pongs = verbs_pongs,
	.outgoing = verbs_outgoing,
	.incoming = verbs_incoming,
	.drain = verbs_control_drain,
	.close = verbs_close,
};
