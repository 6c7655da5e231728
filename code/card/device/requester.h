/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The half of a queue pair that sends requests, and again what was not acknowledged. */
#ifndef REQUESTER_H
#define REQUESTER_H

#include "packet.h"
#include "port.h"
#include "qp.h"

/* The first send gets the first sequence number. */
void requester_start(struct qp *qp);

/* Its next packet: see struct flow. */
bool requester_next(struct card *card, struct qp *qp, struct leaving *leaving);

/* Read what a packet carries, now that it leaves; false if it does not. */
bool requester_write(struct card *card, struct leaving *leaving, uint8_t *payload);

/* It will have left at a time. */
void requester_left(struct card *card, const struct leaving *leaving, int64_t at_ps);

/* The peer's packets for it: ANSWER, RESULT, ACK. */
void requester_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

/* Complete all that was posted as flushed. */
void requester_flush(struct card *card, struct qp *qp);

#endif
