/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where packets leave the card: acknowledgements go before data, each of the two in its own order, one at a time. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet.h"

struct card;

enum lane { URGENT, DATA, LANES };

struct leaving;

/* Who sends a packet, and is called when it leaves. */
struct sender {
	/* Read what it carries; false if it is not to leave any more. */
	bool (*write)(struct card *card, enum lane lane, struct leaving *leaving, uint8_t *payload);
	/* It will have left at a time; may be NULL. */
	void (*left)(struct card *card, const struct leaving *leaving, int64_t at_ps);
};

/* A packet that is to leave; what it carries is read when it does. */
struct leaving {
	struct packet packet;
	const struct sender *sender;
	uint32_t qp, index; /* handle; of its request */
	uint64_t offset;    /* in its message */
	bool is_here;       /* it is for this card itself, and never on the line */
	uint64_t fetched_bytes;
	int64_t work_ps;          /* of the engine */
	int64_t ready_ps, end_ps; /* from when it can leave; when it was expected to have left */
};

struct port {
	struct waiting {
		struct leaving *ring;
		size_t first, used, room;
	} lanes[LANES];
	/* Takes a packet that is for this card itself. */
	void (*deliver)(struct card *card, const uint8_t *bytes, size_t size);
	int64_t planned_ps; /* when it looks again; INT64_MAX: not by itself */
	int64_t slip_ps;    /* how far behind all expectations are */
};

/* A packet is to leave as soon as it is ready and the line is free. */
void port_leave(struct card *card, enum lane lane, const struct leaving *leaving);

/* How long it takes on the line. */
int64_t port_time(const struct card *card, const struct leaving *leaving);

/* Nothing waits. */
void port_start(struct port *port, void (*deliver)(struct card *card, const uint8_t *bytes, size_t size));

/* Give back all that waits. */
void port_end(struct port *port);

#endif
