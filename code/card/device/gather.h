/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A send's own bytes: what its request says, and where they are. */
#ifndef GATHER_H
#define GATHER_H

#include "qp.h"

/* Read a request; its status tells what is wrong with it. */
void gather_read(struct card *card, struct qp *qp, uint32_t index, struct request *request);

/* Read a packet's bytes; false if the program doesn't have all of them. */
bool gather_payload(struct card *card, struct qp *qp, const struct leaving *leaving, const struct request *request,
		    uint8_t *payload);

/* Write what has come back; false if there is no place for it. */
bool gather_answer(struct card *card, struct qp *qp, const struct request *request, const struct packet *packet,
		   uint8_t *payload);

#endif
