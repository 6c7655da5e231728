/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "cq.h"
#include "verbs.h"

static bool has_room(struct card *card, const struct cq *cq)
{
	struct card_ring ring;

	return !cq->is_overrun && memory_access(&cq->is.memory, card->world, 0, &ring, sizeof(ring), false) &&
	       cq->produced - ring.consumed < cq->entries;
}

static void overrun(struct card *card, struct cq *cq)
{
	if (cq->is_overrun)
		return;
	cq->is_overrun = true;
	notice_event(card, &cq->is, CQ_ERROR);
	card->lose_cq(card, cq->is.handle);
}

static void cq_write(struct card *card, struct cq *cq, struct card_cqe entry)
{
	const uint64_t at = sizeof(struct card_ring) + cq->produced % cq->entries * sizeof(entry);

	entry.turn = ++cq->produced;
	entry.at_ns = (uint64_t)card->now_ns;
	memory_access(&cq->is.memory, card->world, at, &entry, sizeof(entry), true);
}

void cq_add(struct card *card, uint32_t handle, const struct card_cqe *entry, bool solicited)
{
	struct cq *const cq = (struct cq *)table_find(&card->table, CQ, handle);

	if (!cq)
		return;
	if (!has_room(card, cq)) {
		overrun(card, cq);
		return;
	}
	cq_write(card, cq, *entry);
	if (solicited)
		cq->solicited = (uint32_t)cq->produced;
	if (cq->armed == ARMED || (cq->armed == ARMED_SOLICITED && solicited)) {
		cq->armed = UNARMED;
		notice_completion(card, &cq->is);
	}
}

void cq_arm(struct card *card, struct cq *cq, uint32_t read, bool only_solicited)
{
	const uint32_t last = only_solicited ? cq->solicited : (uint32_t)cq->produced;

	if ((int32_t)(last - read) > 0) {
		cq->armed = UNARMED;
		notice_completion(card, &cq->is);
	} else if (!only_solicited || cq->armed == UNARMED) {
		cq->armed = only_solicited ? ARMED_SOLICITED : ARMED;
	}
}
