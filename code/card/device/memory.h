/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a program that the kernel has passed to the card: a range of bytes on pages of the guest. */
#ifndef MEMORY_H
#define MEMORY_H

#include "world.h"

enum { PAGE_BYTES = 4096 };

struct memory {
	uint64_t *pages;               /* page numbers */
	uint64_t count, first, length; /* the offset in the first page; the size in bytes */
};

/* Add pages at the end; false if there are too many for any guest. */
bool memory_add(struct memory *memory, const uint64_t *pages, uint64_t count);

/* Set the range within the pages; false if they are too few. */
bool memory_bound(struct memory *memory, uint64_t first, uint64_t length);

/* Free the pages. */
void memory_drop(struct memory *memory);

/* Read or write bytes at an offset; false unless all of it was done. */
bool memory_access(const struct memory *memory, struct world *world, uint64_t offset, void *buffer, uint64_t size,
		   bool is_write);

#endif
