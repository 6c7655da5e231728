/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetch-and-add, and compare-and-swap, of 8 bytes: each is done once, however often it is asked for. */
#ifndef ATOMIC_H
#define ATOMIC_H

#include "packet.h"
#include "qp.h"

/* Do it, and owe the old value; how the packet is to be acknowledged. */
enum packet_ack atomic_take(struct card *card, struct qp *qp, const struct packet *packet);

/* Owe the old value of one that was done before, as long as it is remembered. */
void atomic_again(struct card *card, struct qp *qp, const struct packet *packet);

#endif
