/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetch-and-add and compare-and-swap of 8 bytes: each is done once, even if its packet arrives again. */
#ifndef ATOMIC_H
#define ATOMIC_H

#include "packet.h"
#include "qp.h"

/* Do an atomic, and queue its old value; how to acknowledge the packet. */
enum packet_ack atomic_take(struct card *card, struct qp *qp, const struct packet *packet);

/* Queue the old value of an earlier atomic again, as long as it is stored. */
void atomic_again(struct card *card, struct qp *qp, const struct packet *packet);

#endif
