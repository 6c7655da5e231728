/* --duration where messages are timed singly: rounds of them, until the time is over. Those in the middle half of it
 * are measured. */
#ifndef SPAN_H
#define SPAN_H

#include "result.h"

struct span {
	uint64_t lasts_ns, start_ns, round_start_ns;
	uint64_t messages;     /* of the round; 0: the time is over */
	bool is_middle;        /* the round is measured */
	uint64_t all;          /* messages of the rounds before */
	uint64_t measured;     /* of those, the messages of measured rounds ... */
	uint64_t every, count; /* ... of which one in `every` is kept as a sample */
};

/* The first round has one message. */
struct span span_new(uint64_t seconds);

/* A round is over, with a sample of each message behind those kept so far. Room is needed for SAMPLES_MAX. */
void span_keep(struct span *, struct sample *samples);

/* Chooses the messages of the next round by this end's clock. */
void span_next(struct span *);

#endif
