/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An emulated machine whose frames have addresses: what it sends at random is for one of the others, or for all. */
#ifndef STATION_H
#define STATION_H

#include "emulated.h"

struct station {
	struct emulated machine;
	struct pair pair;
	int number, count; /* of all stations */
};

/* Start it at an end of 0 of a file, over a link of a model. False, with errno, if that fails. */
bool station_open(struct station *station, uint64_t seed, const char *path, const struct wire_model *link);

/* Which station a value is for; `count`: all of them. */
int station_of(const struct station *station, uint64_t value);

#endif
