/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "object.h"

enum { HANDLE_BITS = 24 };

bool table_add(struct table *t, struct object *o)
{
	uint32_t place = 1;

	while (place < CARD_OBJECTS && t->objects[place])
		place++;
	if (place == CARD_OBJECTS)
		return false;
	t->given[place] = t->given[place] % ((1u << HANDLE_BITS) / CARD_OBJECTS - 1) + 1;
	o->handle = t->given[place] * CARD_OBJECTS + place;
	t->objects[place] = o;
	return true;
}

void table_remove(struct table *t, const struct object *o)
{
	t->objects[o->handle % CARD_OBJECTS] = NULL;
}

struct object *table_find(const struct table *t, enum kind kind, uint32_t handle)
{
	struct object *const o = t->objects[handle % CARD_OBJECTS];

	return o && o->handle == handle && o->kind == kind ? o : NULL;
}
