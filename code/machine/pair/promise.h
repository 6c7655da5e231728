/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises by which two clocks keep step. Each end publishes `until_ns` and `taken`: "I send nothing before
 * `until_ns`, unless a frame reaches me that is not among those which I have taken". What is sent takes the latency at
 * least, so that the other may run to `until_ns` + latency; a frame of its own that is not taken yet may change that
 * from its arrival on.
 */
#ifndef PROMISE_H
#define PROMISE_H

#include "pair.h"

/* Publish a promise. */
void promise_make(struct pair *pair, int64_t until_ns, const uint64_t taken[WIRES]);

/* The time before which the other sends nothing. Frames that it has sent before it said so are visible from then on. */
int64_t promise_of_other(struct pair *pair);

#endif
