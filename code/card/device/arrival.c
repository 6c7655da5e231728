/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "arrival.h"
#include "card.h"
#include "congestion.h"
#include "qp.h"
#include "requester.h"
#include "responder.h"

static struct arrival *take_first(struct arrivals *arrivals)
{
	struct arrival *const a = STAILQ_FIRST(arrivals);

	STAILQ_REMOVE_HEAD(arrivals, entry);
	return a;
}

/* All cards use the same handles: the number of a queue pair alone does not identify the sender. */
static bool is_of_peer(const struct qp *qp, const struct arrival *a)
{
	return qp->type == UD || (a->packet.from == qp->attributes.peer_qp && a->peer == qp->attributes.peer);
}

static void hand_over(struct card *card, struct qp *qp, struct arrival *a)
{
	congestion_see(card, qp, &a->packet);
	if (a->packet.kind == CONGESTION)
		congestion_take(card, qp);
	else if (a->packet.kind >= ANSWER)
		requester_take(card, qp, &a->packet, a->payload);
	else
		qp_obey(card, qp, responder_take(card, qp, &a->packet, a->payload));
}

static void handle(struct card *card, uint64_t nothing, uint64_t nothing_else)
{
	struct arrival *const a = take_first(&card->arrivals);
	struct qp *const qp = qp_find(&card->table, a->packet.to);

	(void)nothing, (void)nothing_else;
	if (qp && is_of_peer(qp, a))
		hand_over(card, qp, a);
	free(a);
}

/* When the packet is in memory: in order, so a later reader sees all earlier packets. */
static int64_t in_memory(struct card *card, const struct packet *p)
{
	const bool writes = p->kind != ASK && p->kind != ATOMIC;
	const int64_t from = later(card->bus_in_ps, card->schedule.now_ps);

	card->bus_in_ps = from + costs_time(p->bytes, card->costs.bus_bit_s);
	card->arrived_ps = later(card->arrived_ps, card->bus_in_ps + (writes ? card->costs.write_ps : 0));
	return card->arrived_ps;
}

static bool is_packet(const struct packet *p, size_t payload)
{
	return p->kind < PACKET_KINDS && p->bytes == payload && payload <= PACKET_MOST &&
	       (p->kind != RESULT || payload == sizeof(uint64_t)) && (p->kind != DATAGRAM || payload >= GRH_BYTES);
}

void arrival_take(struct card *card, uint32_t peer, const uint8_t *bytes, size_t size)
{
	const size_t payload = size - sizeof(struct packet);
	struct arrival *a;

	if (size < sizeof(struct packet))
		return;
	a = calloc(1, sizeof(*a) + payload);
	if (!a)
		abort();
	a->peer = peer;
	memcpy(&a->packet, bytes, sizeof(a->packet));
	memcpy(a->payload, bytes + sizeof(a->packet), payload);
	if (!is_packet(&a->packet, payload)) {
		free(a);
		return;
	}
	STAILQ_INSERT_TAIL(&card->arrivals, a, entry);
	schedule_plan(&card->schedule, in_memory(card, &a->packet) - card->schedule.now_ps, handle, 0, 0);
}

void arrivals_end(struct arrivals *arrivals)
{
	while (!STAILQ_EMPTY(arrivals))
		free(take_first(arrivals));
}
