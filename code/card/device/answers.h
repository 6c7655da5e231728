/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a queue pair owes its peer: acknowledgements, the bytes of READs, old values; they leave in order. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "packet.h"
#include "port.h"
#include "qp.h"

/* Acknowledge all up to a packet, or say why it was not taken. */
void answers_ack(struct card *card, struct qp *qp, uint32_t psn, enum packet_ack ack);

/* Owe the bytes that a packet asks for; false if that is too much at once. */
bool answers_read(struct card *card, struct qp *qp, const struct packet *packet);

/* Owe an atomic's old value. */
bool answers_result(struct card *card, struct qp *qp, uint32_t psn, uint64_t value);

/* The next packet of these: see struct flow. */
bool answers_next(struct card *card, struct qp *qp, struct leaving *leaving);

#endif
