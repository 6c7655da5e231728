/* Connections to a waiting server: however many there are, none of them may keep the right client out. */
#ifndef DOOR_H
#define DOOR_H

#include <stdint.h>

#include "hello.h"

/* The connection of the first client that is welcome; -1 if none came by deadline_ns. All others are refused with a
 * sentence on both ends. A client that knows our token but wants something else ends the program. */
int door_wait(int listener, const struct hello *here, uint64_t deadline_ns);

/* What a client is told that comes while another is being served. Safe in a signal handler. */
void door_busy(int fd);

#endif
