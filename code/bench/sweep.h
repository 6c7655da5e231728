/* All sizes of a run, one after the other, each measured for long enough. */
#ifndef SWEEP_H
#define SWEEP_H

#include "output.h"
#include "transport.h"

#define SAMPLES_MAX 1000000 /* of one size: a longer one keeps every so many-th (16 MB) */

/* How many samples of one size there may be. */
uint64_t sweep_room(const struct options *options);

/* Of how many single messages one becomes a sample: no more of them are kept than were asked for. */
uint64_t sweep_message_every(const struct flow *flow);

/* The same of round trips, or of rounds of --verify; windows carry all messages. */
uint64_t sweep_sample_every(const struct options *options, const struct flow *flow);

/* How often the messages that are asked for must be sent so that they last for --least-time, when `factor` times as
 * many took so long; 0 if that was enough. */
uint32_t sweep_factor(const struct options *options, uint32_t factor, uint64_t took_ns);

/* Both ends call it with the same options; the client writes the results. Costs has room for one of each size. */
void sweep_run(const struct options *options, const struct transport *t, struct link *l, const struct output *output,
	       struct cost *costs);

#endif
