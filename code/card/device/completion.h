/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends that are over: their entries, in the order in which they were posted. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "qp.h"

/* The send that a packet belongs to; NULL if it is none under way. */
struct request *completion_request(struct qp *qp, uint32_t psn);

/* The number up to which an acknowledgement of all before `psn` holds: a READ's bytes acknowledge it, nothing else. */
uint32_t completion_bound(struct qp *qp, uint32_t psn);

/* Complete all sends that are over. One that can't be done fails the queue pair when those before it are over. */
void completion_retire(struct card *card, struct qp *qp);

/* The oldest send under way ends with a status, and the queue pair with it. */
void completion_end(struct card *card, struct qp *qp, uint32_t status);

/* Write a send's entry. */
void completion_write(struct card *card, struct qp *qp, uint32_t index, uint32_t status);

#endif
