/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of each part of the work of a card, in ps of the clock of the guest. */
#ifndef COSTS_H
#define COSTS_H

#include <stdbool.h>
#include <stdint.h>

enum { PS_PER_NS = 1000 };

struct costs {
	uint64_t header_bytes;  /* of each packet on the link, besides its payload */
	uint64_t rate_bit_s;    /* of the link; 0: no time */
	uint64_t bus_bit_s;     /* of payload over the bus, in each direction; 0: no time */
	int64_t doorbell_ps;    /* a posted write from CPU to card */
	int64_t fetch_ps;       /* the card reads memory of the host: there and back */
	int64_t write_ps;       /* until a write of the card is in memory of the host */
	int64_t gap_ps;         /* between two messages: the message rate */
	int64_t block_ps;       /* per 64 bytes of a request with inline data */
	int64_t ack_ps;         /* from the last byte in memory to the acknowledgement */
	int64_t irq_ps;         /* from a completion to the interrupt */
	int64_t notify_ps;      /* between two notifications of congestion to a queue pair; 0: there are none */
	uint64_t knee_permille; /* how much two parts of about the same time delay each other; 0: not at all */
};

/* Set a cost by its name, without `card_`; false if the name is unknown. */
bool costs_set(struct costs *costs, const char *name, uint64_t value);

/* The time of a number of bytes at a rate, rounded up; 0 without a rate. */
int64_t costs_time(uint64_t bytes, uint64_t bit_s);

/* The work for a message whose way takes another time: with a knee k it is (work^(1/k) + way^(1/k))^k, as
 * lab.analysis.card fits it. */
int64_t costs_bent(int64_t work_ps, int64_t way_ps, uint64_t knee_permille);

#endif
