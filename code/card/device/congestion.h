/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explicit congestion notification: a packet that the switch has marked makes its receiver notify the sender, whose
 * queue pair then sends more slowly. */
#ifndef CONGESTION_H
#define CONGESTION_H

#include "packet.h"
#include "qp.h"

/* A packet has come from the peer: notify it if the packet is marked, unless it was notified a short time ago. */
void congestion_see(struct card *card, struct qp *qp, const struct packet *packet);

/* The peer's notification has come. */
void congestion_take(struct card *card, struct qp *qp);

#endif
