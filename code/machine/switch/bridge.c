/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "promise.h"

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

/* The machine at that port need not be woken: it could not run to the arrival of the frame before the next promise. */
static void send(struct port *p, int wire, const struct frame *frame)
{
	_Atomic uint64_t *const sent = &p->pair.mine->sent[wire];
	struct frame *copy;
	int64_t arrival;

	if ((frame->is_rdma ? wire_carry(&p->wires[wire], frame->arrival_ns, frame->line_bytes, &arrival) :
			      wire_send(&p->wires[wire], frame->arrival_ns, frame->size, &arrival)) != CARRIED)
		return;
	copy = promise_room(&p->pair, wire, frame->size, frame->arrival_ns, p->taken);
	memcpy(copy, frame, sizeof(*frame) + frame->size);
	copy->arrival_ns = arrival;
	atomic_store(sent, ring_after(atomic_load(sent), frame->size));
}

/* The port of a frame; a packet of an RDMA card is for one computer, which may not exist. */
static int port_of(struct bridge *b, int from, int wire, const struct frame *frame)
{
	if (frame->is_rdma)
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
			send(&b->ports[i], wire, frame);
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
	distribute(b, from, wire, frame);
	p->taken[wire] = ring_after(p->taken[wire], frame->size);
}

static void promise(struct bridge *b, int to, const struct view *v)
{
	int64_t until = INT64_MAX;

	for (int i = 0; i < b->count; i++)
		if (i != to)
			until = least(until, least(v->edges[i], v->firsts[i].arrival_ns));
	promise_make(&b->ports[to].pair, until, b->ports[to].taken);
}

bool bridge_work(struct bridge *b, struct view *v)
{
	int next;

	for (look(b, v); next = earliest(b, v), v->firsts[next].arrival_ns < v->edges[slowest(b, v)]; look(b, v))
		forward(b, next, v->firsts[next].wire);
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
