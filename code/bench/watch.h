/* Every wait ends: a timer ends the program without progress, a signal if the peer dies, so no timed loop has to
 * check. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The heartbeat, a byte on the side channel: progress that the other end cannot see. */
#define WATCH_BEAT 'h'

extern volatile uint64_t watch_progress;

/* Records progress. */
static inline void watch_advance(void)
{
	watch_progress++;
}

/* Sets the stage that the message of a deadline or a dead peer names. */
void watch_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program after deadline_s without progress. */
void watch_deadline(uint64_t deadline_s);

/* Calls this at each of 20 ticks per deadline that finds no progress, in a signal handler, to look for the reason;
 * NULL: no more. */
void watch_look(void (*look)(void *), void *context);

/* Ends the program when the peer closes this socket. Not for a socket that carries data. */
void watch_peer(int fd);

/* From here on, the peer may close the socket. */
void watch_peer_may_leave(int fd);

/* Refuses every connection to this listening socket. */
void watch_listener(int fd);

#endif
