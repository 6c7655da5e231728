/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The half of a queue pair that takes the peer's requests. */
#ifndef RESPONDER_H
#define RESPONDER_H

#include "packet.h"
#include "qp.h"

/* Receive a packet (MESSAGE, ASK, ATOMIC, DATAGRAM); the verdict on the queue pair. */
enum verbs_verdict responder_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

#endif
