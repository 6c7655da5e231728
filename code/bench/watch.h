/* Every wait ends: a deadline without progress and the peer's death are signals, so that no timed loop has to look. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A byte of it on the side channel says: no progress that you could see, but progress. */
#define WATCH_BEAT 'h'

extern volatile uint64_t watch_progress;

/* Called by a loop that has got somewhere. */
static inline void watch_advance(void)
{
	watch_progress++;
}

/* What is being waited for now; the sentence that a deadline or a dead peer prints. */
void watch_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program when deadline_s passes without progress. */
void watch_deadline(uint64_t deadline_s);

/* Ends the program when the peer closes this socket. Not for a socket that carries data. */
void watch_peer(int fd);

/* Lets the program end by itself from here on, although the peer may be gone. */
void watch_peer_may_leave(int fd);

/* Refuses every connection to this listening socket. */
void watch_listener(int fd);

#endif
