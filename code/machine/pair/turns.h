/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs when, in every exact machine: its processor, or QEMU's other threads. */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>

/*
 * From here on no other thread of QEMU has its big lock while the guest executes. A processor that halts moves the
 * clock on to the next timer by itself, or leaves that to QEMU's main thread: slower, but it runs no further than to
 * the next timer once a pause is asked for.
 */
void turns_take(bool jumps);

/* In a process that was forked off in the processor's thread: of the others only a new one is there that frees memory.
 */
void turns_alone(void);

#endif
