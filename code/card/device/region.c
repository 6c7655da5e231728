/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "qp.h"
#include "region.h"

static const struct region *find(struct card *card, const struct qp *qp, uint32_t key)
{
	const struct region *const r = (struct region *)table_find(&card->table, REGION, key);

	return r && r->is.owner == qp->is.owner && r->pd == qp->pd ? r : NULL;
}

static bool holds(const struct region *r, uint64_t address, uint64_t size)
{
	return address >= r->iova && address - r->iova <= r->is.memory.length &&
	       size <= r->is.memory.length - (address - r->iova);
}

bool region_allows(struct card *card, const struct qp *qp, uint32_t key, uint64_t address, uint64_t size,
		   uint32_t access)
{
	const struct region *const r = find(card, qp, key);

	return r && (r->access & access) == access && holds(r, address, size);
}

bool region_access(struct card *card, const struct qp *qp, uint32_t key, uint64_t address, void *buffer, uint64_t size,
		   uint32_t access, bool is_write)
{
	const struct region *const r = find(card, qp, key);

	return region_allows(card, qp, key, address, size, access) &&
	       memory_access(&r->is.memory, card->world, address - r->iova, buffer, size, is_write);
}

bool region_walk(struct card *card, const struct qp *qp, const struct card_piece *pieces, uint32_t count,
		 uint64_t offset, uint8_t *buffer, uint64_t size, bool is_write)
{
	const uint32_t access = is_write ? LOCAL_WRITE : 0;
	uint64_t part;

	for (uint32_t i = 0; i < count && size > 0; i++) {
		if (offset >= pieces[i].bytes) {
			offset -= pieces[i].bytes;
			continue;
		}
		part = pieces[i].bytes - offset < size ? pieces[i].bytes - offset : size;
		if (!region_access(card, qp, pieces[i].key, pieces[i].address + offset, buffer, part, access, is_write))
			return false;
		offset = 0;
		buffer += part;
		size -= part;
	}
	return size == 0;
}
