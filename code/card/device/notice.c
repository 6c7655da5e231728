/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "cq.h"
#include "notice.h"

static void notice_add(struct card *card, uint32_t file, uint32_t kind, uint64_t cookie)
{
	struct notices *const n = &card->notices;

	if (n->used < NOTICES)
		n->ring[(n->first + n->used++) % NOTICES] = (struct notice){ (uint64_t)kind << 32 | file, cookie };
	card->world->interrupt(card->world, true);
}

static void notice_complete(struct card *card, uint64_t handle, uint64_t nothing)
{
	const struct cq *const cq = (struct cq *)table_find(&card->table, CQ, (uint32_t)handle);

	(void)nothing;
	if (cq && cq->channel)
		notice_add(card, cq->channel, CARD_COMPLETION, cq->is.cookie);
}

static void notice_happen(struct card *card, uint64_t handle, uint64_t event)
{
	const struct object *const o = card->table.objects[handle % CARD_OBJECTS];

	if (o && o->handle == handle)
		notice_add(card, o->owner, (uint32_t)event, o->cookie);
}

void notice_completion(struct card *card, const struct object *cq)
{
	schedule_plan(&card->schedule, card->costs.irq_ps, notice_complete, cq->handle, 0);
}

void notice_event(struct card *card, const struct object *object, uint32_t event)
{
	schedule_plan(&card->schedule, card->costs.irq_ps, notice_happen, object->handle, event);
}

uint64_t notice_take(struct card *card)
{
	struct notices *const n = &card->notices;
	const struct notice *const next = &n->ring[n->first];

	if (!n->used) {
		card->world->interrupt(card->world, false);
		return 0;
	}
	n->cookie = next->cookie;
	n->first = (n->first + 1) % NOTICES;
	n->used--;
	return next->word;
}
