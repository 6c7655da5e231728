/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of a send: inline in its request, or at the pieces of its list. */
#ifndef GATHER_H
#define GATHER_H

#include "qp.h"

/* Read a request; its status reports errors. */
void gather_read(struct card *card, struct qp *qp, uint32_t index, struct request *request);

/* Read the data of a packet; false if the program may not read all of it. */
bool gather_payload(struct card *card, struct qp *qp, const struct leaving *leaving, const struct request *request,
		    uint8_t *payload);

/* Write the answer to a request; false if the program has no memory for it. */
bool gather_answer(struct card *card, struct qp *qp, const struct request *request, const struct packet *packet,
		   uint8_t *payload);

#endif
