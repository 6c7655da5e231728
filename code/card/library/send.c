/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Posting sends: into the request memory of the card, with one doorbell for a whole list. */
#include "send.h"

int pair_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct pair *p = pair_of(qp);
	uint32_t before;
	int error = 0;

	lock_take(&p->sends.lock);
	before = p->sends.posted;
	for (; wr; wr = wr->next, p->sends.posted++) {
		error = send_write_slot(p, wr);
		if (error) {
			send_report(p, wr->send_flags, error);
			*bad = wr;
			break;
		}
	}
	if (p->sends.posted != before)
		send_ring(p);
	lock_give(&p->sends.lock);
	return error;
}
