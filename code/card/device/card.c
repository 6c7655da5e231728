/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arrival.h"
#include "bell.h"
#include "card.h"
#include "command.h"
#include "qp.h"

static void deliver_here(struct card *card, const uint8_t *bytes, size_t size)
{
	arrival_take(card, CARD_HERE, bytes, size);
}

void card_start(struct card *card, const struct costs *costs, struct world *world)
{
	*card = (struct card){ .costs = *costs, .world = world, .lose_cq = qp_lose_cq };
	engine_start(&card->engine);
	port_start(&card->port, deliver_here);
	STAILQ_INIT(&card->arrivals);
}

void card_end(struct card *card)
{
	for (int i = 0; i < CARD_OBJECTS; i++)
		if (card->table.objects[i])
			command_drop(card, card->table.objects[i]);
	memory_drop(&card->given);
	port_end(&card->port);
	arrivals_end(&card->arrivals);
	schedule_end(&card->schedule);
}

static void card_enter(struct card *card, int64_t now_ns)
{
	card->now_ns = now_ns;
	card->schedule.now_ps = now_ns * PS_PER_NS;
}

static void card_leave(struct card *card)
{
	const int64_t next_ps = schedule_next(&card->schedule);

	card->world->arm(card->world, next_ps == INT64_MAX ? INT64_MAX : (next_ps + PS_PER_NS - 1) / PS_PER_NS);
}

uint64_t card_read(struct card *card, uint64_t at)
{
	switch (at) {
	case CARD_MAGIC_AT:
		return CARD_MAGIC;
	case CARD_EVENT:
		return notice_take(card);
	case CARD_COOKIE:
		return card->notices.cookie;
	default:
		return 0;
	}
}

void card_write(struct card *card, int64_t now_ns, uint64_t at, uint64_t value)
{
	const uint64_t page = at / CARD_PAGE_BYTES;

	card_enter(card, now_ns);
	if (at == CARD_COMMAND)
		command_run(card, value);
	else if (page > 0 && page <= CARD_DOORBELL_PAGES)
		bell_ring(card, (uint32_t)page - 1, at % CARD_PAGE_BYTES, value);
	card_leave(card);
}

void card_deliver(struct card *card, int64_t now_ns, uint32_t from, const uint8_t *bytes, size_t size)
{
	card_enter(card, now_ns);
	arrival_take(card, from, bytes, size);
	card_leave(card);
}

void card_pause(struct card *card, int64_t now_ns, bool is_paused)
{
	card_enter(card, now_ns);
	port_pause(card, is_paused);
	card_leave(card);
}

void card_happen(struct card *card, int64_t now_ns)
{
	struct plan plan;

	card->now_ns = now_ns;
	while (schedule_take(&card->schedule, now_ns * PS_PER_NS, &plan))
		plan.call(card, plan.first, plan.second);
	card_leave(card);
}
