/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completed sends: their entries, in the order of posting. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "qp.h"

/* The send of a packet; NULL if it is not in flight. */
struct request *completion_request(struct qp *qp, uint32_t psn);

/* The sequence number up to which an acknowledgement of all before `psn` counts: only its data acknowledges a READ. */
uint32_t completion_bound(struct qp *qp, uint32_t psn);

/* Complete all finished sends. A failed one fails the queue pair once all earlier ones are complete. */
void completion_retire(struct card *card, struct qp *qp);

/* Complete the oldest send in flight with an error, which fails the queue pair. */
void completion_end(struct card *card, struct qp *qp, uint32_t status);

/* Write the entry of a send. */
void completion_write(struct card *card, struct qp *qp, uint32_t index, uint32_t status);

#endif
