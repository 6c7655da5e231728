/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "congestion.h"

static bool write_nothing(struct card *card, enum lane lane, struct leaving *l, uint8_t *payload)
{
	(void)card, (void)lane, (void)l, (void)payload;
	return true;
}

static const struct sender sender = { .write = write_nothing };

/* Only data has a rate that its sender can lower; the sender of a datagram has many peers. */
static bool is_limited(const struct qp *qp, const struct packet *p)
{
	return qp->type != UD && (p->kind == MESSAGE || p->kind == ANSWER);
}

void congestion_see(struct card *card, struct qp *qp, const struct packet *p)
{
	const int64_t now = card->schedule.now_ps;
	struct leaving l = { .packet = { .kind = CONGESTION, .from = qp->is.handle, .to = qp->attributes.peer_qp },
			     .sender = &sender,
			     .qp = qp->is.handle,
			     .peer = qp->attributes.peer,
			     .ready_ps = now + card->costs.ack_ps };

	if (!(p->flags & MARKED) || !is_limited(qp, p) || !card->costs.notify_ps || now < qp->quiet_until_ps)
		return;
	qp->quiet_until_ps = now + card->costs.notify_ps;
	port_leave(card, URGENT, &l);
}

void congestion_take(struct card *card, struct qp *qp)
{
	if (!card->costs.notify_ps || !card->costs.rate_bit_s || !qp_sends(qp))
		return;
	rate_cut(&qp->rate, &card->costs, card->schedule.now_ps);
	card->world->slow_down(card->world, qp->rate.bit_s);
}
