/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "port.h"

static void port_run(struct card *card, uint64_t nothing, uint64_t nothing_else);

static const struct leaving *head(const struct waiting *w)
{
	return w->used ? &w->ring[w->first] : NULL;
}

static void port_make_room(struct waiting *w)
{
	struct leaving *const ring = calloc(2 * w->room + 16, sizeof(*ring));

	if (!ring)
		abort();
	for (size_t i = 0; i < w->used; i++)
		ring[i] = w->ring[(w->first + i) % w->room];
	free(w->ring);
	*w = (struct waiting){ ring, 0, w->used, 2 * w->room + 16 };
}

static void port_add(struct waiting *w, const struct leaving *l)
{
	if (w->used == w->room)
		port_make_room(w);
	w->ring[(w->first + w->used++) % w->room] = *l;
}

static struct leaving port_take(struct waiting *w)
{
	const struct leaving first = *head(w);

	w->first = (w->first + 1) % w->room;
	w->used--;
	return first;
}

int64_t port_time(const struct card *card, const struct leaving *l)
{
	const struct costs *const c = &card->costs;

	return l->peer == CARD_HERE ? 0 : costs_time(packet_line_bytes(&l->packet, c->header_bytes), c->rate_bit_s);
}

int64_t port_work(const struct card *card, const struct leaving *l, int64_t work_ps, uint64_t packets, uint64_t bytes)
{
	const struct costs *const c = &card->costs;
	const uint64_t line_bytes = bytes + packets * c->header_bytes;
	const int64_t line_ps = port_time(card, l) + (l->peer == CARD_HERE ? 0 : costs_time(line_bytes, c->rate_bit_s));
	const int64_t bus_ps = l->fetched_bytes ? costs_time(l->fetched_bytes + bytes, c->bus_bit_s) : 0;

	return costs_bent(work_ps, later(line_ps, bus_ps), c->knee_permille);
}

/* When the next packet can leave; INT64_MAX: there is none. */
static int64_t next_ready(const struct port *p)
{
	int64_t ready = INT64_MAX;

	for (int lane = 0; lane < LANES; lane++)
		if (head(&p->lanes[lane]) && head(&p->lanes[lane])->ready_ps < ready)
			ready = head(&p->lanes[lane])->ready_ps;
	return ready;
}

static void port_plan(struct card *card, int64_t not_before_ps)
{
	struct port *const p = &card->port;
	const int64_t at = later(later(next_ready(p), not_before_ps), card->schedule.now_ps);

	if (at >= p->planned_ps || p->is_paused)
		return;
	p->planned_ps = at;
	schedule_plan(&card->schedule, at - card->schedule.now_ps, port_run, 0, 0);
}

/* Send the packet; the time from which the link is free again. */
static int64_t port_send(struct card *card, const struct leaving *l, const uint8_t *bytes)
{
	const size_t size = sizeof(l->packet) + l->packet.bytes;
	const uint64_t line = packet_line_bytes(&l->packet, card->costs.header_bytes);

	if (l->peer != CARD_HERE)
		return card->world->send(card->world, card->now_ns, l->peer, bytes, size, line) * PS_PER_NS;
	card->port.deliver(card, bytes, size);
	return card->schedule.now_ps;
}

/* Other traffic on the link delays all later packets against their expected times. */
static void compare(struct card *card, const struct leaving *l, int64_t end)
{
	struct port *const p = &card->port;
	const int64_t slip = end - (l->end_ps + p->slip_ps);

	if (!p->lanes[DATA].used) {
		card->engine.line_ps = end;
	} else if (slip > 0) {
		card->engine.line_ps += slip;
		p->slip_ps += slip;
	}
}

/* Whether the next acknowledgement, which is ready too, includes this one. */
static bool is_superseded(const struct card *card, const struct leaving *l)
{
	const struct leaving *const next = head(&card->port.lanes[URGENT]);

	return l->packet.kind == ACK && l->packet.ack == ACKED && next && next->packet.kind == ACK &&
	       next->qp == l->qp && next->ready_ps <= card->schedule.now_ps;
}

static struct leaving take_next(struct card *card, enum lane lane)
{
	struct leaving l = port_take(&card->port.lanes[lane]);

	while (lane == URGENT && is_superseded(card, &l))
		l = port_take(&card->port.lanes[lane]);
	return l;
}

static int64_t let_leave(struct card *card, enum lane lane)
{
	static uint8_t bytes[sizeof(struct packet) + PACKET_MOST];
	struct leaving l = take_next(card, lane);
	int64_t end;

	if (!l.sender->write(card, lane, &l, bytes + sizeof(l.packet)))
		return card->schedule.now_ps;
	memcpy(bytes, &l.packet, sizeof(l.packet));
	end = later(port_send(card, &l, bytes), card->schedule.now_ps);
	if (lane == DATA)
		compare(card, &l, end);
	if (l.sender->left)
		l.sender->left(card, &l, end);
	return end;
}

static void port_run(struct card *card, uint64_t nothing, uint64_t nothing_else)
{
	struct port *const p = &card->port;
	const int64_t line_ns = card->world->line_free(card->world);
	const struct leaving *const urgent = head(&p->lanes[URGENT]), *const data = head(&p->lanes[DATA]);
	int64_t free = line_ns * PS_PER_NS;

	(void)nothing, (void)nothing_else;
	if (p->planned_ps != card->schedule.now_ps)
		return; /* another call was planned instead */
	p->planned_ps = INT64_MAX;
	if (p->is_paused)
		return;
	if (line_ns <= card->now_ns) {
		if (urgent && urgent->ready_ps <= card->schedule.now_ps)
			free = let_leave(card, URGENT);
		else if (data && data->ready_ps <= card->schedule.now_ps)
			free = let_leave(card, DATA);
	}
	port_plan(card, free);
}

void port_leave(struct card *card, enum lane lane, const struct leaving *leaving)
{
	struct leaving l = *leaving;

	l.end_ps -= card->port.slip_ps;
	port_add(&card->port.lanes[lane], &l);
	port_plan(card, card->schedule.now_ps);
}

void port_pause(struct card *card, bool is_paused)
{
	card->port.is_paused = is_paused;
	port_plan(card, card->schedule.now_ps);
}

void port_start(struct port *p, void (*deliver)(struct card *card, const uint8_t *bytes, size_t size))
{
	*p = (struct port){ .deliver = deliver, .planned_ps = INT64_MAX };
}

void port_end(struct port *p)
{
	for (int lane = 0; lane < LANES; lane++)
		free(p->lanes[lane].ring);
	port_start(p, p->deliver);
}
