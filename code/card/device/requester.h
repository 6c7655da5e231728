/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The half of a queue pair that sends requests, and sends them again without an acknowledgement. */
#ifndef REQUESTER_H
#define REQUESTER_H

#include "packet.h"
#include "port.h"
#include "qp.h"

/* Start with the first sequence number. */
void requester_start(struct qp *qp);

/* Its next packet: see struct flow. */
bool requester_next(struct card *card, struct qp *qp, struct leaving *leaving);

/* Receive a packet from the peer: ANSWER, RESULT, ACK. */
void requester_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

/* Complete all posted requests as flushed. */
void requester_flush(struct card *card, struct qp *qp);

#endif
