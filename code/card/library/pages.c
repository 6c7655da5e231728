/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include <sys/mman.h>

/* After a fork, the first write to a page would copy it; the card would continue with the old page. */
void *pages_take(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	madvise(pages, bytes, MADV_DONTFORK);
	return pages;
}

void pages_give(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}
