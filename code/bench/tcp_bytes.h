/* The bytes of the connection: a loop around each system call, and what the socket is told. */
#ifndef TCP_BYTES_H
#define TCP_BYTES_H

#include "tcp_link.h"

/* Sets a socket option or exits with its name. */
void tcp_set(int fd, int level, int option, const char *name, int value);

/* Exactly so many. */
void tcp_send_all(struct link *l, const unsigned char *bytes, uint64_t size);
void tcp_receive_all(struct link *l, unsigned char *bytes, uint64_t size);

/* What there is, at least one byte: how many. */
uint64_t tcp_receive_some(struct link *l, unsigned char *bytes, uint64_t size);

/* Nothing that was sent waits for more. */
void tcp_push(struct link *l);

#endif
