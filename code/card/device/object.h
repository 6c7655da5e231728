/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects of the card by their handles. A handle is reused late only. */
#ifndef OBJECT_H
#define OBJECT_H

#include "../abi.h"
#include "memory.h"

enum kind { NO_KIND, REGION, CQ, SRQ, QP };

/* The first member of all kinds. */
struct object {
	enum kind kind;
	uint32_t handle, owner;
	uint64_t cookie;
	struct memory memory;
};

struct table {
	struct object *objects[CARD_OBJECTS];
	uint32_t given[CARD_OBJECTS]; /* how often each was used, modulo the bits of a handle */
};

/* Give an object a handle; false if there are too many objects. */
bool table_add(struct table *table, struct object *object);

/* Remove an object: its handle is invalid from now on. */
void table_remove(struct table *table, const struct object *object);

/* The object with a handle, if it is of a kind; else NULL. */
struct object *table_find(const struct table *table, enum kind kind, uint32_t handle);

#endif
