/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a pair as seen by its process: the memory shared with the other, and how the end of one process ends the
 * other. */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>

#include "layout.h"
#include "ring.h"

struct pair {
	struct end *mine, *other;
	struct ring out[WIRES], in[WIRES];
	uint64_t landed[WIRES]; /* positions in the own rings: earlier frames have arrived by the clock of this end */
	int file;               /* with a lock on byte number `end`, which the kernel releases when this process ends */
	int end;
};

/* Map the file shared with the other end, and extend it to its full size. False, with errno, if that fails. */
bool pair_open(struct pair *pair, int end, const char *path);

/* This end sends nothing any more: the other continues alone. */
void pair_finish(struct pair *pair);

/* Wait until the other end has finished too; whether nothing is in flight to this end then. */
bool pair_await_finish(struct pair *pair, const uint64_t taken[WIRES]);

/* Report the exit status of this process to the other end: whether it ended normally. */
void pair_leave(struct pair *pair, int status);

/* End this process for a reason, which ends the other too. */
_Noreturn void pair_fail(struct pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends this process if the other end has failed or was killed; it may have finished. */
void pair_require_other(struct pair *pair);

/* Whether the other end sends no more and takes no more. */
bool pair_is_alone(const struct pair *pair);

/* Note a change: the other end sees it when it looks next, and is woken for it at the latest when this end waits. */
void pair_note(struct pair *pair);

/* Wake the other end if it sleeps. */
void pair_wake(const struct pair *pair);

/* Wake the other end, and sleep until the number of its changes is not `seen` any more, or for a while. Ends this
 * process if the other was killed. */
void pair_await(struct pair *pair, uint32_t seen);

/* The host's clock. */
int64_t host_ns(void);

#endif
