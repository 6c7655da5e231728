/* Turns progress into samples: one whenever a further 1/count of a round's messages is there. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "result.h"

/* Each sample goes from the start of the round. A look can come late, and what lay there meanwhile would seem faster
 * than the link if the next sample began with it; from the start on, no link lets it seem so. */
struct windows {
	struct result *result;
	uint64_t messages, count; /* of the round, and windows in it */
	uint64_t mark;            /* where the next one ends */
	uint64_t start_ns;
};

void windows_begin(struct windows *w, struct result *result, uint64_t messages, uint64_t count);

/* So many messages are there. Several windows that end with one look are one sample. */
void windows_look(struct windows *w, uint64_t done, uint64_t time_ns);

#endif
