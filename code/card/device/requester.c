/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "card.h"
#include "completion.h"
#include "gather.h"
#include "recovery.h"
#include "requester.h"

enum { WINDOW_BYTES = 16 << 20, WINDOW_PACKETS = 1 << 20, ACK_EVERY = 32 };

void requester_start(struct qp *qp)
{
	struct requester *const out = &qp->out;

	out->psn = out->unacked = out->sent = qp->attributes.send_psn & PSN_MASK;
}

static uint32_t cursor_psn(const struct requester *out)
{
	const struct request *const r = &out->requests[out->next % out->queue.slots];

	return out->next == out->started ? out->psn : (r->first_psn + out->next_packet) & PSN_MASK;
}

/* Requests get their sequence numbers in order, each before its first packet. */
static void start(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;
	struct request *const r = &out->requests[out->started % out->queue.slots];

	*r = (struct request){ .first_psn = out->psn, .is_rung = r->is_rung };
	gather_read(card, qp, out->started, r);
	r->packets = r->bytes && r->wqe.opcode <= READ ? (r->bytes - 1) / qp->attributes.mtu_bytes + 1 : 1;
	out->psn = (out->psn + r->packets) & PSN_MASK;
	out->asks += verbs_asks(r->wqe.opcode) && !r->status;
	out->started++;
}

/* Whether a packet may leave now. */
static bool has_next(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;

	if (!qp_sends(qp) || out->next == out->queue.posted || card->schedule.now_ps < out->pause_until_ps ||
	    (qp->attributes.state == SQD && out->next == out->started))
		return false;
	if (out->next == out->started)
		start(card, qp);
	return !out->requests[out->next % out->queue.slots].status;
}

/* Bounds what is in flight: no sequence number is used twice, and a link without a rate buffers a bounded amount. */
static bool is_in_window(const struct qp *qp, const struct request *r)
{
	const uint32_t under_way = (uint32_t)psn_after(cursor_psn(&qp->out), qp->out.unacked);

	return under_way < WINDOW_PACKETS &&
	       (verbs_asks(r->wqe.opcode) || under_way * qp->attributes.mtu_bytes < WINDOW_BYTES);
}

/* A READ or an atomic waits until the peer can take it, and a request with a fence until they are done. */
static bool may_go(const struct qp *qp, const struct request *r)
{
	const struct requester *const out = &qp->out;

	if (r->wqe.flags & FENCE && out->reads)
		return false;
	return !verbs_asks(r->wqe.opcode) || out->reads < qp->attributes.reads;
}

static uint8_t kind_of(const struct qp *qp, uint32_t opcode)
{
	if (qp->type == UD)
		return DATAGRAM;
	return opcode == READ ? ASK : opcode > READ ? ATOMIC : MESSAGE;
}

static uint8_t posted_as(const struct qp *qp, const struct request *r)
{
	return (uint8_t)((r->wqe.flags & INLINE ? INSIDE : 0) | (r->is_rung ? RUNG : 0) |
			 (qp->all_signalled || r->wqe.flags & SIGNALLED ? REPORTED : 0));
}

static uint8_t flags_of(const struct request *r, uint32_t number)
{
	const bool last = number + 1 == r->packets || verbs_asks(r->wqe.opcode);
	const bool asked = last || number % ACK_EVERY == ACK_EVERY - 1;

	return (uint8_t)((number == 0 ? FIRST : 0) | (last ? LAST : 0) | (asked ? WANTS_ACK : 0) |
			 (last && r->wqe.flags & SOLICITED ? WANTS_EVENT : 0));
}

static struct packet packet_of(const struct qp *qp, const struct request *r, uint32_t number)
{
	const uint64_t offset = (uint64_t)number * qp->attributes.mtu_bytes;
	struct packet p = { .kind = kind_of(qp, r->wqe.opcode), .flags = flags_of(r, number) | posted_as(qp, r) };

	p.opcode = (uint8_t)r->wqe.opcode;
	p.from = qp->is.handle;
	p.to = qp->type == UD ? r->address.peer_qp : qp->attributes.peer_qp;
	p.psn = (r->first_psn + number) & PSN_MASK;
	p.imm = r->wqe.imm;
	p.rkey = r->wqe.rkey;
	p.qkey = r->address.qkey >> 31 ? qp->attributes.qkey : r->address.qkey;
	p.length = r->bytes - (uint32_t)offset;
	p.remote = r->wqe.remote + offset;
	p.compare_add = r->wqe.compare_add;
	p.swap = r->wqe.swap;
	if (p.kind == MESSAGE)
		p.bytes = p.length < qp->attributes.mtu_bytes ? p.length : qp->attributes.mtu_bytes;
	if (p.kind == DATAGRAM)
		p.bytes = GRH_BYTES + r->bytes;
	return p;
}

/* A request with inline data, or without data, has a head of 36 bytes: control, address, and that of the data. */
static int64_t work_of(const struct card *card, const struct request *r, const struct leaving *first)
{
	const uint64_t blocks = r->wqe.flags & INLINE ? (36 + r->bytes + 63) / 64 : 0;
	const int64_t work = later((int64_t)blocks * card->costs.block_ps, card->costs.gap_ps);

	if (verbs_asks(r->wqe.opcode))
		return work;
	return port_work(card, first, work, r->packets - 1, r->packets > 1 ? r->bytes - first->packet.bytes : 0);
}

static bool is_wanted(const struct qp *qp, const struct leaving *l)
{
	const struct request *const r = &qp->out.requests[l->index % qp->out.queue.slots];

	return qp_sends(qp) && l->index - qp->out.queue.taken < qp->out.started - qp->out.queue.taken && !r->status;
}

static bool requester_write(struct card *card, enum lane lane, struct leaving *l, uint8_t *payload)
{
	struct qp *const qp = qp_find(&card->table, l->qp);
	struct request *r;

	(void)lane;
	if (!qp || !is_wanted(qp, l))
		return false;
	r = &qp->out.requests[l->index % qp->out.queue.slots];
	if (l->packet.kind == ASK || l->packet.kind == ATOMIC || gather_payload(card, qp, l, r, payload))
		return true;
	r->status = LOCAL_PROTECTION;
	completion_retire(card, qp);
	return false;
}

/* Without acknowledgements, a send is complete when its last bit has left. */
static void requester_complete_sent(struct card *card, uint64_t handle, uint64_t psn)
{
	struct qp *const qp = qp_find(&card->table, (uint32_t)handle);

	if (!qp || psn_after((uint32_t)psn, qp->out.unacked) <= 0)
		return;
	qp->out.unacked = (uint32_t)psn;
	completion_retire(card, qp);
	engine_wake(card, &qp->out.flow);
}

static void left(struct card *card, const struct leaving *l, int64_t at)
{
	struct qp *const qp = qp_find(&card->table, l->qp);
	const uint32_t packets =
		l->packet.kind == ASK && l->packet.length ? (l->packet.length - 1) / qp->attributes.mtu_bytes + 1 : 1;
	const uint32_t psn = (l->packet.psn + packets) & PSN_MASK;

	if (psn_after(psn, qp->out.sent) > 0)
		qp->out.sent = psn;
	if (qp->type == RC)
		recovery_watch(card, qp);
	else
		schedule_plan(&card->schedule, at - card->schedule.now_ps + card->costs.write_ps,
			      requester_complete_sent, l->qp, psn);
}

static const struct sender sender = { .write = requester_write, .left = left };

static void requester_describe(struct card *card, struct qp *qp, const struct request *r, struct leaving *l)
{
	const uint32_t number = qp->out.next_packet;

	*l = (struct leaving){ .packet = packet_of(qp, r, number), .sender = &sender, .qp = qp->is.handle };
	l->index = qp->out.next;
	l->offset = (uint64_t)number * qp->attributes.mtu_bytes;
	l->peer = qp->type == UD ? r->address.peer : qp->attributes.peer;
	if (!(r->wqe.flags & INLINE) && l->packet.kind != ASK && l->packet.kind != ATOMIC)
		l->fetched_bytes = l->packet.bytes;
	if (!number || verbs_asks(r->wqe.opcode))
		l->work_ps = work_of(card, r, l);
}

bool requester_next(struct card *card, struct qp *qp, struct leaving *l)
{
	struct requester *const out = &qp->out;
	const struct request *r;

	if (!has_next(card, qp)) {
		completion_retire(card, qp);
		return false;
	}
	r = &out->requests[out->next % out->queue.slots];
	if (!is_in_window(qp, r) || ((out->next_packet == 0 || verbs_asks(r->wqe.opcode)) && !may_go(qp, r)))
		return false;
	requester_describe(card, qp, r, l);
	out->reads += verbs_asks(r->wqe.opcode);
	if (++out->next_packet >= r->packets || verbs_asks(r->wqe.opcode)) {
		out->next_packet = 0;
		out->next++;
	}
	return true;
}

/* The peer has all packets before a sequence number; false if an answer to one of them was lost. */
static bool advance(struct card *card, struct qp *qp, uint32_t psn)
{
	struct requester *const out = &qp->out;
	const uint32_t bound = completion_bound(qp, psn);

	if (psn_after(psn, out->unacked) <= 0 || psn_after(psn, out->psn) > 0)
		return true;
	if (psn_after(bound, out->unacked) > 0) {
		out->unacked = bound;
		recovery_progress(qp);
		recovery_watch(card, qp);
		completion_retire(card, qp);
	}
	return bound == psn;
}

static void acknowledge(struct card *card, struct qp *qp, const struct packet *p)
{
	static const uint32_t statuses[] = { [INVALID] = REMOTE_INVALID,
					     [DENIED] = REMOTE_ACCESS,
					     [FAILED] = REMOTE_OPERATION };
	const bool taken = p->ack == ACKED;

	if (!advance(card, qp, (p->psn + taken) & PSN_MASK)) {
		recovery_retry(card, qp);
	} else if (p->ack == RNR) {
		recovery_pause(card, qp, p);
	} else if (p->ack == OUT_OF_ORDER) {
		recovery_retry(card, qp);
	} else if (!taken && p->ack <= FAILED) {
		completion_end(card, qp, statuses[p->ack]);
	}
}

/* The data of a READ or the old value of an atomic: the next expected packet, or else one was lost. */
static void answered(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	struct requester *const out = &qp->out;
	struct request *r;

	if (psn_after(p->psn, out->unacked) < 0)
		return;
	if (!advance(card, qp, p->psn) || out->unacked != p->psn) {
		recovery_retry(card, qp);
		return;
	}
	r = completion_request(qp, p->psn);
	if (!r || !verbs_asks(r->wqe.opcode) || r->status)
		return;
	if (!gather_answer(card, qp, r, p, payload)) {
		completion_end(card, qp, LOCAL_PROTECTION);
		return;
	}
	out->unacked = (p->psn + 1) & PSN_MASK;
	if (out->unacked == ((r->first_psn + r->packets) & PSN_MASK)) {
		out->asks--;
		out->reads -= out->reads > 0;
	}
	recovery_progress(qp);
	recovery_watch(card, qp);
	completion_retire(card, qp);
}

void requester_take(struct card *card, struct qp *qp, const struct packet *p, uint8_t *payload)
{
	if (!qp_sends(qp) || qp->type != RC)
		return;
	if (p->kind == ACK)
		acknowledge(card, qp, p);
	else
		answered(card, qp, p, payload);
	recovery_catch_up(qp);
	engine_wake(card, &qp->out.flow);
}

void requester_flush(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;

	for (; out->queue.taken != out->queue.posted; out->queue.taken++) {
		struct request *const r = &out->requests[out->queue.taken % out->queue.slots];

		if (out->queue.taken == out->started) {
			*r = (struct request){ .bytes = 0 };
			gather_read(card, qp, out->started++, r);
		}
		completion_write(card, qp, out->queue.taken, FLUSHED);
	}
	out->next = out->started;
	out->next_packet = out->asks = out->reads = 0;
}
