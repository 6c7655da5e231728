/* The side channel: one TCP connection, on which the two ends agree before they measure. */
#ifndef SIDE_H
#define SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*side_tune)(int fd); /* sets socket options before the connection is made; may be NULL */

/* A listening socket; exits with the reason if that fails. */
int side_listen(const char *address, uint16_t port, side_tune tune);

/* A connection to host from source ("" for any); exits with the reason if there is none by the deadline. */
int side_connect(const char *host, const char *source, uint16_t port, uint64_t deadline_ns, side_tune tune);

/* Accepts a connection, and returns where it is from; -1 if there is none. The listener must not block. */
int side_accept(int listener, char peer[64]);

/* Reads exactly size bytes; false if that fails or takes until deadline_ns (of now_ns). */
bool side_read(int fd, void *buffer, size_t size, uint64_t deadline_ns);
bool side_write(int fd, const void *buffer, size_t size);

#endif
