/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives of a queue pair, from its queue or a shared one. */
#ifndef RECEIVE_H
#define RECEIVE_H

#include "object.h"
#include "queue.h"

struct card;
struct qp;

struct srq {
	struct object is;
	struct queue queue;
	uint32_t pd, limit;
};

/* Take the next one for a queue pair; false if there is none. */
bool receive_take(struct card *card, struct qp *qp, struct receive *receive);

/* Write bytes of a message there; the status that it ends with. */
uint32_t receive_write(struct card *card, const struct qp *qp, const struct receive *receive, uint64_t offset,
		       uint8_t *bytes, uint64_t size);

/* Write its entry, of which the rest is given. */
void receive_complete(struct card *card, const struct qp *qp, const struct receive *receive,
		      const struct card_cqe *entry, bool solicited);

#endif
