/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { PAGES_MOST = 1 << 20 }; /* 4 GiB: more than any guest has */

bool memory_add(struct memory *m, const uint64_t *pages, uint64_t count)
{
	uint64_t *more;

	if (count > PAGES_MOST || m->count + count > PAGES_MOST)
		return false;
	more = realloc(m->pages, (m->count + count + 1) * sizeof(*more));
	if (!more)
		return false;
	memcpy(more + m->count, pages, count * sizeof(*more));
	m->pages = more;
	m->count += count;
	return true;
}

bool memory_bound(struct memory *m, uint64_t first, uint64_t length)
{
	const uint64_t all = m->count * PAGE_BYTES;

	if (!length || first >= PAGE_BYTES || first > all || length > all - first)
		return false;
	m->first = first;
	m->length = length;
	return true;
}

void memory_drop(struct memory *m)
{
	free(m->pages);
	*m = (struct memory){ 0 };
}

bool memory_access(const struct memory *m, struct world *world, uint64_t offset, void *buffer, uint64_t size,
		   bool is_write)
{
	uint64_t at = m->first + offset, left = size, part;

	if (offset > m->length || size > m->length - offset)
		return false;
	for (uint8_t *bytes = buffer; left > 0; left -= part, at += part, bytes += part) {
		part = PAGE_BYTES - at % PAGE_BYTES < left ? PAGE_BYTES - at % PAGE_BYTES : left;
		if (m->pages[at / PAGE_BYTES] >> 52 ||
		    !world->access(world, m->pages[at / PAGE_BYTES] * PAGE_BYTES + at % PAGE_BYTES, bytes, part,
				   is_write))
			return false;
	}
	return true;
}
