/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "promise.h"
#include "rdma.h"

enum { SERVER = 1 }; /* the switch is this end of each pair */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

bool bridge_plug(struct bridge *b, const char *path, const struct wire_model *link)
{
	const struct wire_model cable = { .latency_ns = link->latency_ns };
	struct port *const p = &b->ports[b->count];

	if (!pair_open(&p->pair, SERVER, path))
		return false;
	p->wires[LINK] = wire_new(link, 0, SERVER, &p->pair.mine->counts[LINK]);
	p->wires[SIDE] = wire_new(&cable, 0, SERVER, &p->pair.mine->counts[SIDE]);
	b->latency_ns = link->latency_ns;
	b->count++;
	return true;
}

static const struct frame *next_frame(const struct port *p, int wire)
{
	if (p->taken[wire] == atomic_load(&p->pair.other->sent[wire]))
		return NULL;
	return ring_at(&p->pair.in[wire], p->taken[wire]);
}

static struct first first_of(const struct port *p)
{
	struct first first = { INT64_MAX, LINK };
	const struct frame *frame;

	for (int wire = 0; wire < WIRES; wire++) {
		frame = next_frame(p, wire);
		if (frame && frame->arrival_ns < first.arrival_ns)
			first = (struct first){ frame->arrival_ns, wire };
	}
	return first;
}

static void look(struct bridge *b, struct view *v)
{
	int64_t promised;

	for (int i = 0; i < b->count; i++) {
		struct port *const p = &b->ports[i];

		v->changes[i] = atomic_load(&p->pair.other->changes);
		promised = promise_of_other(&p->pair); /* before the rings: see promise.h */
		v->edges[i] = promised > INT64_MAX - b->latency_ns ? INT64_MAX : promised + b->latency_ns;
		v->firsts[i] = first_of(p);
	}
}

static int slowest(const struct bridge *b, const struct view *v)
{
	int port = 0;

	for (int i = 1; i < b->count; i++)
		if (v->edges[i] < v->edges[port])
			port = i;
	return port;
}

static int earliest(const struct bridge *b, const struct view *v)
{
	int port = 0;

	for (int i = 1; i < b->count; i++)
		if (v->firsts[i].arrival_ns < v->firsts[port].arrival_ns)
			port = i;
	return port;
}

/* A place for the next frame to a machine over a wire. It need not be woken: it could not run to the arrival of the
 * frame before the next promise. */
static struct frame *room(struct port *p, int wire, size_t size, int64_t now)
{
	return promise_room(&p->pair, wire, size, now, p->taken);
}

static void sent(struct port *p, int wire, size_t size)
{
	_Atomic uint64_t *const at = &p->pair.mine->sent[wire];

	atomic_store(at, ring_after(atomic_load(at), size));
}

static void order(struct bridge *b, struct port *p, int64_t now, bool is_paused)
{
	*room(p, SIDE, 0, now) =
		(struct frame){ .arrival_ns = now + b->latency_ns, .kind = is_paused ? PAUSE : RESUME };
	sent(p, SIDE, 0);
	p->is_paused = is_paused;
	p->pair.mine->depths.pauses += is_paused;
}

/* The port whose queue has the frame that leaves first; NULL: all are empty. */
static struct port *first_to_leave(struct bridge *b)
{
	struct port *first = NULL;

	for (struct port *p = b->ports; p < b->ports + b->count; p++)
		if (queue_first(&p->queue) &&
		    (!first || queue_first(&p->queue)->leaves_ns < queue_first(&first->queue)->leaves_ns))
			first = p;
	return first;
}

static void let_go(struct bridge *b, struct port *p)
{
	const struct queued q = queue_take(&p->queue);
	struct port *const from = &b->ports[q.from];

	if (q.kind == ETHERNET)
		p->ethernet_bytes -= q.line_bytes;
	else
		from->held_bytes -= q.line_bytes;
	if (from->is_paused && from->held_bytes <= b->flow.xon_bytes)
		order(b, from, q.leaves_ns, false);
}

static void let_go_until(struct bridge *b, int64_t until)
{
	struct port *p;

	while ((p = first_to_leave(b)) && queue_first(&p->queue)->leaves_ns <= until)
		let_go(b, p);
}

/* The next time at which a card may be told to go on; INT64_MAX: none pauses. */
static int64_t next_order(struct bridge *b)
{
	bool is_paused = false;

	for (int i = 0; i < b->count; i++)
		is_paused |= b->ports[i].is_paused;
	return is_paused ? queue_first(&first_to_leave(b)->queue)->leaves_ns : INT64_MAX;
}

static void enqueue(struct bridge *b, struct port *p, int from, const struct frame *frame, uint64_t line_bytes,
		    int64_t arrival)
{
	queue_add(&p->queue, (struct queued){ .leaves_ns = arrival - b->latency_ns,
					      .line_bytes = (uint32_t)line_bytes,
					      .from = (uint8_t)from,
					      .kind = frame->kind });
	if (frame->kind == ETHERNET) {
		p->ethernet_bytes += line_bytes;
		return;
	}
	b->ports[from].held_bytes += line_bytes;
	if (!b->ports[from].is_paused && b->ports[from].held_bytes > b->flow.xoff_bytes)
		order(b, &b->ports[from], b->now_ns, true);
}

static bool exceeds_half(const struct bridge *b, const struct port *p, const struct frame *frame, uint64_t line_bytes)
{
	return b->flow.xoff_bytes && frame->kind == ETHERNET &&
	       p->ethernet_bytes + line_bytes > p->wires[LINK].model.queue_bytes / 2;
}

/* Sends over the link or the side network; false if the frame is dropped. */
static bool carry(struct bridge *b, struct port *p, int from, int wire, const struct frame *frame, int64_t *arrival)
{
	const uint64_t line_bytes = frame->kind == RDMA ? frame->line_bytes : wire_line_bytes(frame->size);
	struct depths *const depths = &p->pair.mine->depths;
	enum fate fate;

	if (wire == SIDE)
		return wire_send(&p->wires[SIDE], b->now_ns, frame->size, arrival) == CARRIED;
	if (exceeds_half(b, p, frame, line_bytes)) {
		p->wires[LINK].counts->dropped++;
		return false;
	}
	depths_before(depths, &p->wires[LINK], b->now_ns);
	fate = frame->kind == RDMA ? wire_carry(&p->wires[LINK], b->now_ns, line_bytes, arrival) :
				     wire_send(&p->wires[LINK], b->now_ns, frame->size, arrival);
	depths_after(depths, &p->wires[LINK], b->now_ns);
	if (fate == CARRIED && b->flow.xoff_bytes)
		enqueue(b, p, from, frame, line_bytes, *arrival);
	return fate == CARRIED;
}

static void mark(const struct bridge *b, struct port *p, struct frame *frame)
{
	if (!b->mark_bytes || frame->kind != RDMA || frame->size <= HEADER_BYTES + RDMA_FLAGS ||
	    wire_waiting(&p->wires[LINK], b->now_ns) <= b->mark_bytes)
		return;
	frame->bytes[HEADER_BYTES + RDMA_FLAGS] |= RDMA_MARKED;
	p->pair.mine->depths.marks++;
}

static void send(struct bridge *b, struct port *p, int from, int wire, const struct frame *frame)
{
	struct frame *copy;
	int64_t arrival;

	if (!carry(b, p, from, wire, frame, &arrival))
		return;
	copy = room(p, wire, frame->size, b->now_ns);
	memcpy(copy, frame, sizeof(*frame) + frame->size);
	copy->arrival_ns = arrival;
	mark(b, p, copy);
	sent(p, wire, frame->size);
}

/* The port of a frame; a packet of an RDMA card is for one computer, which may not exist. */
static int port_of(struct bridge *b, int from, int wire, const struct frame *frame)
{
	if (frame->kind == RDMA)
		return frame->bytes[RDMA_TO] ? frame->bytes[RDMA_TO] - 1 : MOST_PORTS;
	addresses_learn(&b->known[wire], frame->bytes + ADDRESS_BYTES, from);
	return addresses_find(&b->known[wire], frame->bytes);
}

/* Forwards to one port or to all, never back. A frame without a whole header is dropped. */
static void distribute(struct bridge *b, int from, int wire, const struct frame *frame)
{
	int to;

	if (frame->size < HEADER_BYTES)
		return;
	to = port_of(b, from, wire, frame);
	for (int i = 0; i < b->count; i++)
		if (i != from && (to == i || to == EVERYWHERE))
			send(b, &b->ports[i], from, wire, frame);
}

static void require_in_time(const struct bridge *b, struct port *p, const struct frame *frame)
{
	if (frame->arrival_ns < b->now_ns)
		pair_fail(&p->pair, "a frame came %lld ns late", (long long)(b->now_ns - frame->arrival_ns));
}

static void forward(struct bridge *b, int from, int wire)
{
	struct port *const p = &b->ports[from];
	const struct frame *const frame = next_frame(p, wire);

	require_in_time(b, p, frame);
	b->now_ns = frame->arrival_ns;
	let_go_until(b, b->now_ns);
	distribute(b, from, wire, frame);
	p->taken[wire] = ring_after(p->taken[wire], frame->size);
}

static void promise(struct bridge *b, int to, const struct view *v)
{
	const int64_t ordered = next_order(b);
	int64_t until = b->ports[to].is_paused ? ordered : INT64_MAX;

	for (int i = 0; i < b->count; i++) {
		if (i == to)
			continue;
		until = least(until, least(v->edges[i], v->firsts[i].arrival_ns));
		if (b->ports[i].is_paused) /* it may send when it is told to go on */
			until = least(until, ordered + 2 * b->latency_ns);
	}
	promise_make(&b->ports[to].pair, until, b->ports[to].taken);
}

/* The next event before all edges; false if there is none. */
static bool take_next(struct bridge *b, const struct view *v)
{
	const int next = earliest(b, v);
	const int64_t arrival = v->firsts[next].arrival_ns, leaving = next_order(b), edge = v->edges[slowest(b, v)];

	if (least(arrival, leaving) >= edge)
		return false;
	if (leaving <= arrival)
		let_go_until(b, leaving);
	else
		forward(b, next, v->firsts[next].wire);
	return true;
}

bool bridge_work(struct bridge *b, struct view *v)
{
	while (look(b, v), take_next(b, v))
		continue;
	for (int i = 0; i < b->count; i++)
		promise(b, i, v);
	return v->edges[slowest(b, v)] < INT64_MAX;
}

void bridge_run(struct bridge *b)
{
	struct view v;

	while (bridge_work(b, &v)) {
		const int port = slowest(b, &v);
		struct pair *const pair = &b->ports[port].pair;

		for (int i = 0; i < b->count; i++)
			pair_wake(&b->ports[i].pair);
		pair->mine->waits++;
		pair_await(pair, v.changes[port]);
	}
	for (int i = 0; i < b->count; i++)
		pair_finish(&b->ports[i].pair);
}

static void end(struct pair *p, const char *why)
{
	uint32_t here = HERE;

	if (atomic_load(&p->mine->gone) != HERE)
		return;
	snprintf(p->mine->reason, REASON_BYTES, "%.*s", REASON_BYTES - 1, why);
	atomic_compare_exchange_strong(&p->mine->gone, &here, FAILED);
	pair_note(p);
	pair_wake(p);
}

void bridge_give_up(struct bridge *b)
{
	char why[2 * REASON_BYTES] = "the switch ended by itself";

	for (int i = 0; i < b->count; i++) {
		const struct end *const mine = b->ports[i].pair.mine;

		if (atomic_load(&mine->gone) == FAILED)
			snprintf(why, sizeof(why), "at port %d, %.*s", i, REASON_BYTES - 1, mine->reason);
	}
	for (int i = 0; i < b->count; i++)
		end(&b->ports[i].pair, why);
}
