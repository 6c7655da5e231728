/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was lost is sent again, and all after it (go-back-N): by a timer, or when the peer or an answer tells. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "qp.h"

/* Something has come through: retries count from the start. */
void recovery_progress(struct qp *qp);

/* From now on the peer's acknowledgement is waited for, if anything is under way. */
void recovery_watch(struct card *card, struct qp *qp);

/* Send again from the oldest packet that is not acknowledged, unless that was tried too often. What was on its way
 * meanwhile tells of the same loss: until something comes through, or time runs out, once is enough. */
void recovery_retry(struct card *card, struct qp *qp);

/* The peer has no receive: try again after the time that it says. */
void recovery_pause(struct card *card, struct qp *qp, const struct packet *packet);

/* What is acknowledged needs not be sent again. */
void recovery_catch_up(struct qp *qp);

#endif
