/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread runs, in every exact machine: the CPU, or another thread of QEMU. */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>

/* From here on no other thread of QEMU has the big lock while the guest executes. A CPU that halts advances the clock
 * to the next timer by itself (jumps), or leaves that to the main thread of QEMU: slower, but it runs no further than
 * to the next timer once a pause is requested. */
void turns_take(bool jumps);

/* In a process that was forked in the thread of the CPU: no other thread exists, except a new one that frees memory. */
void turns_alone(void);

#endif
