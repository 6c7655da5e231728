/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where packets leave the card: acknowledgements before data, each in order, one packet at a time. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet.h"

struct card;

enum lane { URGENT, DATA, LANES };

struct leaving;

/* The sender of a packet, which is called when the packet leaves. */
struct sender {
	/* Write its payload; false if it is not to leave any more. */
	bool (*write)(struct card *card, enum lane lane, struct leaving *leaving, uint8_t *payload);
	/* The time at which it will have left; may be NULL. */
	void (*left)(struct card *card, const struct leaving *leaving, int64_t at_ps);
};

/* A packet that is to leave; its payload is read when it does. */
struct leaving {
	struct packet packet;
	const struct sender *sender;
	uint32_t qp, index; /* handle of the queue pair; index of the request */
	uint64_t offset;    /* in the message */
	uint32_t peer;      /* enum card_peer; to this card itself, it does not use the link */
	bool ends_answer;   /* the last packet of an answer that is owed */
	uint64_t fetched_bytes;
	int64_t work_ps;          /* time of the engine */
	int64_t ready_ps, end_ps; /* when it can leave; when it is expected to have left */
};

struct port {
	struct waiting {
		struct leaving *ring;
		size_t first, used, room;
	} lanes[LANES];
	/* Receives packets that this card sends to itself. */
	void (*deliver)(struct card *card, const uint8_t *bytes, size_t size);
	int64_t planned_ps; /* the next planned call; INT64_MAX: none */
	int64_t slip_ps;    /* delay behind all expected times */
	bool is_paused;     /* by the switch: all packets wait, also those to this card itself behind them */
};

/* Send a packet as soon as it is ready and the link is free. */
void port_leave(struct card *card, enum lane lane, const struct leaving *leaving);

/* Its time on the link. */
int64_t port_time(const struct card *card, const struct leaving *leaving);

/* The work for a message that begins with a packet and has more packets with more bytes. */
int64_t port_work(const struct card *card, const struct leaving *leaving, int64_t work_ps, uint64_t packets,
		  uint64_t bytes);

/* Stop, or go on. */
void port_pause(struct card *card, bool is_paused);

/* An empty port. */
void port_start(struct port *port, void (*deliver)(struct card *card, const uint8_t *bytes, size_t size));

/* Free all waiting packets. */
void port_end(struct port *port);

#endif
