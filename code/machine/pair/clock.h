/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU as a machine with steps: see step.h. */
#ifndef CLOCK_H
#define CLOCK_H

#include "step.h"

/* The machine of this process; `deliver` gets the frames that arrive. */
struct machine *clock_machine(void (*deliver)(struct machine *, int wire, const struct frame *));

/* Run steps while the machine runs. In a trusted QEMU, other threads are not woken for each step: a step then takes 2
 * us of the host, else 8 to 18. */
void clock_start(struct steps *steps, bool trusted);

/* New steps replace those that ran. */
void clock_go_on(struct steps *steps);

/* Call a function once, at a time after the machine has started, in the thread of the CPU. */
void clock_call(int64_t at_ns, void (*call)(void));

/* In a machine that will be saved: its next timer is always one without effects. */
void clock_beat(void);

#endif
