/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of one packet from anybody who knows the key. */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include "packet.h"
#include "qp.h"

/* Take one, which may be the end of the queue pair; it is dropped without a word where there is no receive, or with
 * another key. */
enum verbs_verdict datagram_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

#endif
