/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A modelled RDMA card: all that happens in it happens in one of these calls, at a time that they are given. */
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
	int64_t now_ns; /* the first ns from schedule.now_ps on */
	struct table table;
	struct schedule schedule;
	void (*lose_cq)(struct card *, uint32_t cq); /* called when a completion queue overruns */
	struct notices notices;
	struct engine engine;
	struct port port;
	struct arrivals arrivals;
	int64_t bus_in_ps, arrived_ps; /* when the bus is free for what comes in; when the last of it was handled */
	struct memory given;           /* for the next object */
	uint32_t bells[CARD_DOORBELL_PAGES]; /* whose each page is; 0: nobody's */
};

/* A card as it is after a reset. */
void card_start(struct card *card, const struct costs *costs, struct world *world);

/* Give back all that it holds. */
void card_end(struct card *card);

/* The processor reads or writes a register, by its place from CARD_BASE. */
uint64_t card_read(struct card *card, uint64_t at);
void card_write(struct card *card, int64_t now_ns, uint64_t at, uint64_t value);

/* A packet of the other card's has arrived. */
void card_deliver(struct card *card, int64_t now_ns, const uint8_t *bytes, size_t size);

/* The time has come that world->arm() was told. */
void card_happen(struct card *card, int64_t now_ns);

#endif
