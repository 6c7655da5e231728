/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

enum { BUCKETS = 4096 };

struct page {
	struct page *next;
	uint64_t address;
	bool has_bytes;
	uint8_t bytes[PAGE_BYTES];
	struct count counts[PAGE_BYTES];
};

static struct page *buckets[BUCKETS];

static struct page **bucket_of(uint64_t address)
{
	return &buckets[address / PAGE_BYTES % BUCKETS];
}

static bool is_it(const struct page *p, uint64_t address, const uint8_t *bytes)
{
	return p->address == address && (!bytes || memcmp(p->bytes, bytes, PAGE_BYTES) == 0);
}

static struct page *add(uint64_t address, const uint8_t *bytes)
{
	struct page **const bucket = bucket_of(address);
	struct page *const page = calloc(1, sizeof(*page));

	if (!page)
		abort();
	page->next = *bucket;
	page->address = address;
	page->has_bytes = bytes;
	if (bytes)
		memcpy(page->bytes, bytes, PAGE_BYTES);
	return *bucket = page;
}

static struct page *find(uint64_t address, const uint8_t *bytes)
{
	struct page *page = *bucket_of(address);

	while (page && !is_it(page, address, bytes))
		page = page->next;
	return page ? page : add(address, bytes);
}

struct count *pages_count(uint64_t address, const uint8_t *page_bytes)
{
	const uint64_t offset = address % PAGE_BYTES;

	return &find(address - offset, page_bytes)->counts[offset];
}

void pages_clear(void)
{
	for (int b = 0; b < BUCKETS; b++)
		for (struct page *page = buckets[b]; page; page = page->next)
			memset(page->counts, 0, sizeof(page->counts));
}

static bool is_empty(const struct page *page)
{
	for (int offset = 0; offset < PAGE_BYTES; offset++)
		if (page->counts[offset].begun)
			return false;
	return true;
}

static void write_count(int offset, const struct count *count, FILE *file)
{
	if (count->in_vain)
		fprintf(file, "%x %" PRIu64 " %" PRIu64 "\n", offset, count->begun, count->in_vain);
	else if (count->begun)
		fprintf(file, "%x %" PRIu64 "\n", offset, count->begun);
}

static void write_page(const struct page *page, FILE *file)
{
	fprintf(file, "page %" PRIx64 " ", page->address);
	for (int offset = 0; page->has_bytes && offset < PAGE_BYTES; offset++)
		fprintf(file, "%02x", page->bytes[offset]);
	fprintf(file, "\n");
	for (int offset = 0; offset < PAGE_BYTES; offset++)
		write_count(offset, &page->counts[offset], file);
}

void pages_write(FILE *file)
{
	for (int b = 0; b < BUCKETS; b++)
		for (const struct page *page = buckets[b]; page; page = page->next)
			if (!is_empty(page))
				write_page(page, file);
}
