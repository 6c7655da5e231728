/* Turns progress into samples: one at each 1/count of the messages of a round. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "result.h"

/* Each sample starts at the start of the round. A check may come late: if the next sample started there, messages that
 * had arrived meanwhile would seem faster than the link. */
struct windows {
	struct result *result;
	uint64_t messages, count; /* messages of the round, and its number of windows */
	uint64_t mark;            /* the number of messages at which the next window ends */
	uint64_t start_ns;
};

void windows_begin(struct windows *w, struct result *result, uint64_t messages, uint64_t count);

/* Reports that done messages have arrived. Windows that end with the same call are one sample. */
void windows_look(struct windows *w, uint64_t done, uint64_t time_ns);

#endif
