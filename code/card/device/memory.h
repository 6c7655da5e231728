/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a program that the kernel has handed over: some bytes on pages of the guest. */
#ifndef MEMORY_H
#define MEMORY_H

#include "world.h"

enum { PAGE_BYTES = 4096 };

struct memory {
	uint64_t *pages;               /* their numbers */
	uint64_t count, first, length; /* where it starts in the first page; its bytes */
};

/* Add pages to the end; false if there are too many for any guest. */
bool memory_add(struct memory *memory, const uint64_t *pages, uint64_t count);

/* Say where it lies in its pages; false if those are not enough, or none. */
bool memory_bound(struct memory *memory, uint64_t first, uint64_t length);

/* Give it back. */
void memory_drop(struct memory *memory);

/* Read or write bytes at an offset; false if not all of it could be done. */
bool memory_access(const struct memory *memory, struct world *world, uint64_t offset, void *buffer, uint64_t size,
		   bool is_write);

#endif
