/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card's objects by their handles. A handle is not given again for a long time. */
#ifndef OBJECT_H
#define OBJECT_H

#include "../abi.h"
#include "memory.h"

enum kind { NO_KIND, REGION, CQ, SRQ, QP };

/* What all kinds begin with. */
struct object {
	enum kind kind;
	uint32_t handle, owner;
	uint64_t cookie;
	struct memory memory;
};

struct table {
	struct object *objects[CARD_OBJECTS];
	uint32_t given[CARD_OBJECTS]; /* how often, modulo their bits of a handle */
};

/* Give an object a handle; false if there are too many. */
bool table_add(struct table *table, struct object *object);

/* Take it out: its handle leads nowhere from now on. */
void table_remove(struct table *table, const struct object *object);

/* The object with a handle, if it is of a kind; NULL if not. */
struct object *table_find(const struct table *table, enum kind kind, uint32_t handle);

#endif
