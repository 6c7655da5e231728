/* All sizes of a run, in order, each measured for long enough. */
#ifndef SWEEP_H
#define SWEEP_H

#include "output.h"
#include "transport.h"

#define SAMPLES_MAX 1000000 /* of one size: a longer one keeps every n-th (16 MB) */

/* The largest number of samples of one size. */
uint64_t sweep_room(const struct options *options);

/* One in how many messages becomes a sample: no more are kept than the options ask for. */
uint64_t sweep_message_every(const struct flow *flow);

/* One in how many round trips, or rounds of --verify, becomes a sample; windows cover all messages. */
uint64_t sweep_sample_every(const struct options *options, const struct flow *flow);

/* The factor for the iterations to last for --least-time, if `factor` times the iterations took took_ns; 0 if that was
 * long enough. */
uint32_t sweep_factor(const struct options *options, uint32_t factor, uint64_t took_ns);

/* Measures all sizes. Both ends call it with the same options; the client writes the results. Costs has one entry for
 * each size. */
void sweep_run(const struct options *options, const struct transport *t, struct link *l, const struct output *output,
	       struct cost *costs);

#endif
