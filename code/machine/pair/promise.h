/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promises that synchronise two clocks. Each end publishes `until_ns` and `taken`: "I send nothing before
 * `until_ns`, unless a frame arrives that is not among those I have taken". A frame takes the latency at least, so the
 * other end may run to `until_ns` + latency. A frame in flight to the promising end may change its promise from the
 * arrival of that frame on. */
#ifndef PROMISE_H
#define PROMISE_H

#include "pair.h"

/* Publish a promise. */
void promise_make(struct pair *pair, int64_t until_ns, const uint64_t taken[WIRES]);

/* The memory of the next frame of a size over a wire, at a time. Ends this process if more than a ring is in flight on
 * the clocks of the guests, which all runs have in common. The other end may be behind on the clock of the host: this
 * waits until it has taken what has arrived before that time. */
struct frame *promise_room(struct pair *pair, int wire, size_t size, int64_t now_ns, const uint64_t taken[WIRES]);

/* The time before which the other end sends nothing. Frames that it sent before this promise are visible now. */
int64_t promise_of_other(struct pair *pair);

#endif
