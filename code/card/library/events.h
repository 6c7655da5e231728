/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that programs have taken: an object is destroyed only when all of its events are acknowledged, as in
 * libibverbs. There the kernel counts them; the events of the card do not pass through it. */
#ifndef EVENTS_H
#define EVENTS_H

#include <pthread.h>
#include <stdint.h>

/* Wait until so many events are acknowledged, which are counted and signalled under the mutex of the object. */
void events_await(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *acknowledged,
		  const _Atomic uint32_t *taken);

#endif
