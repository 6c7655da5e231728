/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registered memory: the keys, and who may access memory with them. */
#ifndef REGION_H
#define REGION_H

#include "object.h"

struct card;
struct qp;

struct region {
	struct object is;
	uint64_t iova;
	uint32_t access, pd;
};

/* Whether a key allows a queue pair the whole access. */
bool region_allows(struct card *card, const struct qp *qp, uint32_t key, uint64_t address, uint64_t size,
		   uint32_t access);

/* Read or write memory by a key; false if it is not allowed: nothing or a part is done then. */
bool region_access(struct card *card, const struct qp *qp, uint32_t key, uint64_t address, void *buffer, uint64_t size,
		   uint32_t access, bool is_write);

/* Read or write bytes of a list of pieces, from an offset on. */
bool region_walk(struct card *card, const struct qp *qp, const struct card_piece *pieces, uint32_t count,
		 uint64_t offset, uint8_t *buffer, uint64_t size, bool is_write);

#endif
