/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each part of a card's work takes. All times are ps of the guest's clock. */
#ifndef COSTS_H
#define COSTS_H

#include <stdbool.h>
#include <stdint.h>

enum { PS_PER_NS = 1000 };

struct costs {
	uint64_t header_bytes; /* of each packet on the line beside its payload */
	uint64_t rate_bit_s;   /* of the line; 0: it takes no time */
	uint64_t bus_bit_s;    /* payload over the bus, each way; 0: it takes no time */
	int64_t doorbell_ps;   /* a posted write from processor to card */
	int64_t fetch_ps;      /* the card reads the host's memory: there and back */
	int64_t write_ps;      /* until the card's write is in the host's memory */
	int64_t gap_ps;        /* between two messages: the rate of messages */
	int64_t block_ps;      /* for each 64 bytes of a request that carries its data */
	int64_t ack_ps;        /* from the last byte in memory to the acknowledgement's departure */
	int64_t irq_ps;        /* from a completion to the interrupt */
};

/* A cost by its name, without `card_`; false if none is called so. */
bool costs_set(struct costs *costs, const char *name, uint64_t value);

/* How long a number of bytes takes at a rate, no less; 0 at no rate. */
int64_t costs_time(uint64_t bytes, uint64_t bit_s);

#endif
