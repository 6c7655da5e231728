/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A modelled RDMA card: it acts only in these calls, at the times that they pass. */
#ifndef CARD_H
#define CARD_H

#include "arrival.h"
#include "costs.h"
#include "engine.h"
#include "notice.h"
#include "object.h"
#include "port.h"
#include "schedule.h"
#include "world.h"

struct card {
	struct costs costs;
	struct world *world;
	int64_t now_ns; /* schedule.now_ps, rounded up to a ns */
	struct table table;
	struct schedule schedule;
	void (*lose_cq)(struct card *, uint32_t cq); /* called when a completion queue overruns */
	struct notices notices;
	struct engine engine;
	struct port port;
	struct arrivals arrivals;
	int64_t bus_in_ps,
		arrived_ps;  /* when the bus is free for incoming packets; when the last of them was handled */
	struct memory given; /* pages for the next object */
	uint32_t bells[CARD_DOORBELL_PAGES]; /* the owner of each page; 0: none */
};

/* A card after a reset. */
void card_start(struct card *card, const struct costs *costs, struct world *world);

/* Free all that the card has. */
void card_end(struct card *card);

/* The CPU reads or writes a register, by its offset from CARD_BASE. */
uint64_t card_read(struct card *card, uint64_t at);
void card_write(struct card *card, int64_t now_ns, uint64_t at, uint64_t value);

/* A packet of the card of another computer has arrived. */
void card_deliver(struct card *card, int64_t now_ns, uint32_t from, const uint8_t *bytes, size_t size);

/* Priority flow control (IEEE 802.1Qbb): no packet leaves over the link until this is called again. */
void card_pause(struct card *card, int64_t now_ns, bool is_paused);

/* The time passed to world->arm() has come. */
void card_happen(struct card *card, int64_t now_ns);

#endif
