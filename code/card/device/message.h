/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that bring their bytes: WRITE and SEND, packet by packet, and datagrams of one packet. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "packet.h"
#include "qp.h"

/* Take one packet of a message; how it is to be acknowledged. */
enum packet_ack message_take(struct card *card, struct qp *qp, const struct packet *packet, uint8_t *payload);

/* Take a datagram, from any sender that has the key; it is dropped silently if the key differs or there is no receive.
 */
enum verbs_verdict message_take_datagram(struct card *card, struct qp *qp, const struct packet *packet,
					 uint8_t *payload);

#endif
