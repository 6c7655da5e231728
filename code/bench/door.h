/* Connections to a waiting server: no number of other callers keeps the right client out. */
#ifndef DOOR_H
#define DOOR_H

#include <stdint.h>

#include "hello.h"

/* The connection of the first client that is accepted; -1 if none came by deadline_ns. All others are refused, with a
 * message on both ends. A client with the right token and different options ends the program. */
int door_wait(int listener, const struct hello *here, uint64_t deadline_ns);

/* Tells a client that the server is busy with another one. Safe in a signal handler. */
void door_busy(int fd);

#endif
