/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends lost packets again, and all after them (go-back-N): after a timeout, or when the peer or an answer reports the
 * loss. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "qp.h"

/* Progress: the retries are counted anew. */
void recovery_progress(struct qp *qp);

/* Start the timeout of the acknowledgement, if anything is in flight. */
void recovery_watch(struct card *card, struct qp *qp);

/* Send again from the oldest packet without an acknowledgement, unless the retries are used up. Packets in flight
 * report the same loss, so only the first report counts until there is progress or a timeout. */
void recovery_retry(struct card *card, struct qp *qp);

/* The peer has no receive: try again after the time that it sent. */
void recovery_pause(struct card *card, struct qp *qp, const struct packet *packet);

/* Do not send again what is acknowledged by now. */
void recovery_catch_up(struct qp *qp);

#endif
