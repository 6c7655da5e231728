/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "engine.h"

void engine_start(struct engine *e)
{
	*e = (struct engine){ .is_planned = false };
	TAILQ_INIT(&e->waiting);
	TAILQ_INIT(&e->held);
}

/* When the next packet must be taken to be ready when the link is free. */
static int64_t gate(const struct card *card)
{
	const struct costs *const c = &card->costs;

	return card->engine.line_ps - c->fetch_ps - c->gap_ps - costs_time(PAYLOAD_MOST, c->bus_bit_s);
}

static int64_t fetch(struct card *card, uint64_t bytes, int64_t begin)
{
	struct engine *const e = &card->engine;

	if (!bytes)
		return begin;
	e->bus_ps = later(e->bus_ps, begin) + costs_time(bytes, card->costs.bus_bit_s);
	return e->bus_ps + card->costs.fetch_ps;
}

static void issue(struct card *card, struct leaving *l)
{
	struct engine *const e = &card->engine;
	const int64_t begin = l->work_ps ? later(card->schedule.now_ps, e->free_ps) : card->schedule.now_ps;

	if (l->work_ps)
		e->free_ps = begin + l->work_ps;
	e->ready_ps = later(e->ready_ps, fetch(card, l->fetched_bytes, begin));
	e->line_ps = later(e->line_ps, e->ready_ps) + port_time(card, l);
	l->ready_ps = e->ready_ps;
	l->end_ps = e->line_ps;
	port_leave(card, DATA, l);
}

static void engine_run(struct card *card, uint64_t nothing, uint64_t nothing_else);

static void engine_plan(struct card *card)
{
	struct engine *const e = &card->engine;

	if (e->is_planned || TAILQ_EMPTY(&e->waiting))
		return;
	e->is_planned = true;
	schedule_plan(&card->schedule, later(gate(card) - card->schedule.now_ps, 0), engine_run, 0, 0);
}

/* Wake the flows whose next packet may be taken now. */
static void release(struct card *card, uint64_t nothing, uint64_t nothing_else)
{
	struct flow *flow = TAILQ_FIRST(&card->engine.held), *next;

	(void)nothing, (void)nothing_else;
	for (; flow; flow = next) {
		next = TAILQ_NEXT(flow, entry);
		if (flow->rate->next_ps > card->schedule.now_ps)
			continue;
		engine_forget(card, flow);
		engine_wake(card, flow);
	}
}

static void hold(struct card *card, struct flow *flow)
{
	TAILQ_INSERT_TAIL(&card->engine.held, flow, entry);
	flow->is_held = true;
	schedule_plan(&card->schedule, flow->rate->next_ps - card->schedule.now_ps, release, 0, 0);
}

static void engine_run(struct card *card, uint64_t nothing, uint64_t nothing_else)
{
	struct engine *const e = &card->engine;
	struct leaving l;
	struct flow *flow;

	(void)nothing, (void)nothing_else;
	e->is_planned = false;
	while ((flow = TAILQ_FIRST(&e->waiting)) && gate(card) <= card->schedule.now_ps) {
		engine_forget(card, flow);
		if (flow->rate->next_ps > card->schedule.now_ps)
			hold(card, flow);
		if (flow->is_held || !flow->next(card, flow->qp, &l))
			continue;
		issue(card, &l);
		rate_take(flow->rate, &card->costs, card->schedule.now_ps,
			  packet_line_bytes(&l.packet, card->costs.header_bytes));
		engine_wake(card, flow);
	}
	engine_plan(card);
}

void engine_wake(struct card *card, struct flow *flow)
{
	if (flow->is_held)
		return;
	if (!flow->is_waiting)
		TAILQ_INSERT_TAIL(&card->engine.waiting, flow, entry);
	flow->is_waiting = true;
	engine_plan(card);
}

void engine_forget(struct card *card, struct flow *flow)
{
	if (flow->is_waiting)
		TAILQ_REMOVE(&card->engine.waiting, flow, entry);
	if (flow->is_held)
		TAILQ_REMOVE(&card->engine.held, flow, entry);
	flow->is_waiting = flow->is_held = false;
}
