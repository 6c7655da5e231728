/* Turns progress into samples: one at each 1/count of the messages of a round, or of the middle half of its time. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "result.h"

/* Each sample starts at the start of the round. A check may come late: if the next sample started there, messages that
 * had arrived meanwhile would seem faster than the link. */
struct windows {
	struct result *result;
	uint64_t messages, count; /* messages of the round, and its number of windows */
	uint64_t mark;            /* the number of messages at which the next window ends */
	uint64_t start_ns, end_ns;
	uint64_t lasts_ns, next_ns; /* by time: how long the round lasts, and when the next window ends; 0: by number */
	struct sample first;        /* by time: progress where the first window starts */
	bool over;                  /* by time: it has lasted that long */
};

void windows_begin(struct windows *w, struct result *result, uint64_t messages, uint64_t count);

/* A round that lasts for a time; its samples start after a quarter of it. Whoever sees the time pass clears the mark
 * now and then, so that progress is looked at. */
void windows_begin_timed(struct windows *w, struct result *result, uint64_t messages, uint64_t seconds, uint64_t count);

/* Reports that done messages have arrived. Windows that end with the same call are one sample. */
void windows_look(struct windows *w, uint64_t done, uint64_t time_ns);

#endif
