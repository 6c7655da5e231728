/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An emulated machine whose frames have addresses: what it sends at random is for one of the others, or for all. */
#ifndef STATION_H
#define STATION_H

#include "emulated.h"

struct station {
	struct emulated machine;
	struct pair pair;
	int number, count; /* of all stations */
	/* An RDMA card, which sends most of its packets to station 0. */
	uint16_t packet_bytes; /* on the link; 0: there is no card */
	bool has_frames;       /* the network card sends over the link too */
	enum habit habit;
	bool is_paused;
	uint64_t packets_sent, packets_received;
	int64_t last_ns;   /* when the last frame or packet arrived over the link */
	uint64_t too_fast; /* arrivals before a link of 1 ns a byte could carry them */
};

/* The packets in the ring to a station that it has not received. */
uint64_t station_in_flight(const struct station *station);

/* Start it at an end of 0 of a file, over a link of a model. False, with errno, if that fails. */
bool station_open(struct station *station, uint64_t seed, const char *path, const struct wire_model *link);

/* Which station a value is for; `count`: all of them. */
int station_of(const struct station *station, uint64_t value);

#endif
