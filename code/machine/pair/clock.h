/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU as the machine that takes steps: see step.h. */
#ifndef CLOCK_H
#define CLOCK_H

#include "step.h"

/* This process's machine; what arrives for it is given to `deliver`. */
struct machine *clock_machine(void (*deliver)(struct machine *, int wire, const struct frame *));

/*
 * From when the machine runs, its steps run too. In a trusted QEMU, its other threads are not woken for each of them:
 * of the host's time a step takes 2 us then, and else 8 to 18.
 */
void clock_start(struct steps *steps, bool trusted);

/* Steps that are new take the place of those that ran. */
void clock_go_on(struct steps *steps);

/* Once, at a time after the machine has begun to run, in the processor's thread. */
void clock_call(int64_t at_ns, void (*call)(void));

/* In a machine that is to be frozen: its next timer is always one that leaves nothing behind. */
void clock_beat(void);

#endif
