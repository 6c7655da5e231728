/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a pair as its own process sees it: what it shares with the other, and how either's end ends the other. */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>

#include "layout.h"
#include "ring.h"

struct pair {
	struct end *mine, *other;
	struct ring out[WIRES], in[WIRES];
	int file; /* with a lock on its byte number `end`, which the kernel frees when this process ends */
	int end;
};

/* Map a file that is shared with the other end, and make it as long as both need it. False, with errno, if that fails.
 */
bool pair_open(struct pair *pair, int end, const char *path);

/* This end sends nothing any more: the other goes on by itself. */
void pair_finish(struct pair *pair);

/* Wait until the other has finished too; whether nothing is on its way to this end then. */
bool pair_await_finish(struct pair *pair, const uint64_t taken[WIRES]);

/* This end's process ends with a status of its own accord: the other is told whether that is as it should be. */
void pair_leave(struct pair *pair, int status);

/* End this process for a reason, and the other end's by that. */
_Noreturn void pair_fail(struct pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends this process if the other end has failed or was killed; it may have finished. */
void pair_require_other(struct pair *pair);

/* Whether the other end sends no more and takes no more. */
bool pair_is_alone(const struct pair *pair);

/* Something has changed: the other sees it when it looks next, and is woken for it at the latest when this end waits.
 */
void pair_note(struct pair *pair);

/* Wake the other if it sleeps. */
void pair_wake(const struct pair *pair);

/* Wake the other, and sleep until something has changed there since the number of its changes was `seen`, or for a
 * while. Ends this process if the other was killed. */
void pair_await(struct pair *pair, uint32_t seen);

/* The host's clock. */
int64_t host_ns(void);

#endif
