/* The windows that the receiver saw travel back to the sender. */
#ifndef TCP_WINDOWS_H
#define TCP_WINDOWS_H

#include "transport.h"

void tcp_tell(struct link *l, const struct sample *windows, size_t count);

/* How many came; exits if there is none, or no room for them. */
size_t tcp_hear(struct link *l, struct sample *windows, size_t room);

#endif
