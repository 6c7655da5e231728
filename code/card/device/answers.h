/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers of a queue pair to its peer: acknowledgements, data of READs, old values; they leave in order. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "packet.h"
#include "port.h"
#include "qp.h"

/* Acknowledge all packets up to one, or report why it was refused. */
void answers_ack(struct card *card, struct qp *qp, uint32_t psn, enum packet_ack ack);

/* Queue the answer to a READ; false if there are too many. */
bool answers_read(struct card *card, struct qp *qp, const struct packet *packet);

/* Queue the old value of an atomic. */
bool answers_result(struct card *card, struct qp *qp, uint32_t psn, uint64_t value);

/* The next packet of the answers: see struct flow. */
bool answers_next(struct card *card, struct qp *qp, struct leaving *leaving);

#endif
