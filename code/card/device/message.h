/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with data: WRITE and SEND, packet by packet, and datagrams of one packet. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "packet.h"
#include "qp.h"

/* Receive one packet of a message; how to acknowledge it. */
enum packet_ack message_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

/* Receive a datagram, from any sender that has the key; it is dropped silently with another key, or without a
 * receive. */
enum verbs_verdict message_take_datagram(struct card *card, struct qp *qp, const struct packet *packet,
					 uint8_t *payload);

#endif
