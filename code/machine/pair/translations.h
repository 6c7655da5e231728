/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU translates the guest's code where it first runs, which takes an eighth to a quarter of a short trial, and forks
 * of one machine translate much of the same code again. So each fork tells at its end what it translated, and the
 * machine translates that, too, before it forks again. The guest can't notice: a translation follows from its code, its
 * addresses and its flags alone.
 */
#ifndef TRANSLATIONS_H
#define TRANSLATIONS_H

#include <stdint.h>

/* In the machine that is forked: once, and before each fork. */
void translations_share(void);
void translations_take_over(void);

/* In a fork, or in a machine that has none: at its start, and at its end; returns the number that it made. */
void translations_begin(void);
uint64_t translations_tell(void);

#endif
