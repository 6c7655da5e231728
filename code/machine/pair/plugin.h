/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both parts of the plugin: what keeps the clock exact in every machine, and the wires of a pair. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdint.h>

/* The processor halts only while QEMU's main thread sleeps: before_halt.c. 0, or -1 if that cannot be. */
int before_halt_install(uint64_t id);

/* A halted processor's clock moves on to the next timer, by its own thread: to be called in that thread. */
void before_halt_jump(void);

#endif
