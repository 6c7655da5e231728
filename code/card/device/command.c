/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "card.h"
#include "command.h"
#include "cq.h"
#include "qp.h"
#include "receive.h"
#include "region.h"

void command_drop(struct card *card, struct object *o)
{
	table_remove(&card->table, o);
	if (o->kind == QP)
		qp_drop(card, (struct qp *)o);
	memory_drop(&o->memory);
	free(o);
}

static int create_region(struct card *card, struct object *o, const struct card_command *c)
{
	struct region *const r = (struct region *)o;

	(void)card;
	r->iova = c->arguments.region.iova;
	r->access = c->arguments.region.access;
	r->pd = c->arguments.region.pd;
	return r->iova + o->memory.length < r->iova ? EINVAL : 0;
}

static int create_cq(struct card *card, struct object *o, const struct card_command *c)
{
	const struct card_cq *const wanted = &c->arguments.cq;
	struct cq *const cq = (struct cq *)o;

	(void)card;
	o->cookie = wanted->cookie;
	cq->entries = wanted->entries;
	cq->channel = wanted->channel > 0 ? (uint32_t)wanted->channel : 0;
	return !cq->entries || cq->entries > CARD_ENTRIES_MOST ||
			       o->memory.length <
				       sizeof(struct card_ring) + (uint64_t)cq->entries * sizeof(struct card_cqe) ?
		       EINVAL :
		       0;
}

static int create_srq(struct card *card, struct object *o, const struct card_command *c)
{
	const struct card_srq *const wanted = &c->arguments.srq;
	struct srq *const srq = (struct srq *)o;

	(void)card;
	o->cookie = wanted->cookie;
	srq->pd = wanted->pd;
	srq->limit = wanted->limit;
	srq->queue = (struct queue){ .slots = wanted->slots, .slot_bytes = wanted->slot_bytes };
	return srq->queue.slots && queue_is_possible(&srq->queue, o->memory.length) ? 0 : EINVAL;
}

static int create_qp(struct card *card, struct object *o, const struct card_command *c)
{
	o->cookie = c->arguments.qp.cookie;
	return qp_create(card, (struct qp *)o, &c->arguments.qp);
}

static const struct {
	enum kind kind;
	size_t size;
	int (*create)(struct card *, struct object *, const struct card_command *);
} makes[] = {
	[CARD_CREATE_REGION] = { REGION, sizeof(struct region), create_region },
	[CARD_CREATE_CQ] = { CQ, sizeof(struct cq), create_cq },
	[CARD_CREATE_SRQ] = { SRQ, sizeof(struct srq), create_srq },
	[CARD_CREATE_QP] = { QP, sizeof(struct qp), create_qp },
};

/* The new object gets the pages of the earlier commands, or they are released. */
static int create(struct card *card, struct card_command *c)
{
	struct object *const o = calloc(1, makes[c->op].size);
	int error;

	if (!o) {
		memory_drop(&card->given);
		return ENOMEM;
	}
	*o = (struct object){ makes[c->op].kind, 0, c->owner, 0, card->given };
	card->given = (struct memory){ .pages = NULL };
	error = memory_bound(&o->memory, c->first, c->length) ? makes[c->op].create(card, o, c) : EINVAL;
	if (!error && !table_add(&card->table, o))
		error = ENOSPC;
	c->handle = o->handle;
	if (!error)
		return 0;
	memory_drop(&o->memory);
	if (o->kind == QP)
		free(((struct qp *)o)->out.requests);
	free(o);
	return error;
}

static struct object *command_find(struct card *card, const struct card_command *c)
{
	struct object *const o = card->table.objects[c->handle % CARD_OBJECTS];

	return o && o->handle == c->handle && o->owner == c->owner ? o : NULL;
}

static int give_pages(struct card *card, const struct card_command *c)
{
	uint64_t pages[CARD_PFNS];

	for (int i = 0; i < CARD_PFNS; i++)
		pages[i] = c->pfns[i];
	if (c->count <= CARD_PFNS && memory_add(&card->given, pages, c->count))
		return 0;
	memory_drop(&card->given); /* else the next object, perhaps of another program, would get them */
	return EINVAL;
}

static int give_bells(struct card *card, const struct card_command *c)
{
	if (c->arguments.doorbells.page >= CARD_DOORBELL_PAGES)
		return EINVAL;
	card->bells[c->arguments.doorbells.page] = c->owner;
	return 0;
}

static int close(struct card *card, const struct card_command *c)
{
	for (int i = CARD_OBJECTS - 1; i > 0; i--)
		if (card->table.objects[i] && card->table.objects[i]->owner == c->owner)
			command_drop(card, card->table.objects[i]);
	for (int i = 0; i < CARD_DOORBELL_PAGES; i++)
		if (card->bells[i] == c->owner)
			card->bells[i] = 0;
	memory_drop(&card->given);
	return 0;
}

static int query(const struct qp *qp, struct card_command *c)
{
	c->arguments.attributes = qp->attributes;
	return 0;
}

static int change(struct card *card, struct object *o, struct card_command *c)
{
	if (!o)
		return EINVAL;
	if (c->op == CARD_DESTROY)
		return command_drop(card, o), 0;
	if (c->op == CARD_MODIFY_SRQ && o->kind == SRQ)
		return ((struct srq *)o)->limit = c->arguments.srq.limit, 0;
	if (c->op == CARD_MODIFY_QP && o->kind == QP)
		return qp_modify(card, (struct qp *)o, &c->arguments.attributes);
	if (c->op == CARD_QUERY_QP && o->kind == QP)
		return query((struct qp *)o, c);
	return EINVAL;
}

static int command_dispatch(struct card *card, struct card_command *c)
{
	switch (c->op) {
	case CARD_PAGES:
		return give_pages(card, c);
	case CARD_BELLS:
		return give_bells(card, c);
	case CARD_CLOSE:
		return close(card, c);
	case CARD_CREATE_REGION:
	case CARD_CREATE_CQ:
	case CARD_CREATE_SRQ:
	case CARD_CREATE_QP:
		return create(card, c);
	default:
		return change(card, command_find(card, c), c);
	}
}

void command_run(struct card *card, uint64_t at)
{
	struct card_command c;

	if (!card->world->access(card->world, at, &c, sizeof(c), false))
		return;
	c.status = (uint32_t)command_dispatch(card, &c);
	card->world->access(card->world, at, &c, offsetof(struct card_command, count), true);
}
