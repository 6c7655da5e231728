/* The TCP transport: the connection of the side channel carries the messages too, so there is only one. */
#ifndef TCP_LINK_H
#define TCP_LINK_H

#include "buffer.h"
#include "transport.h"

struct link {
	int fd;
	int flags; /* flags of send and recv: how to wait */
	bool yield, check, nodelay;
	struct flow flow;
	struct buffer buffer;
	unsigned char *landing;
	uint64_t messages, posted, arrived; /* of the round */
	int64_t sent, acknowledged;         /* bytes of all rounds; acknowledged as of the last look */
};

/* Sets a socket option, or exits with its name. */
void tcp_set(int fd, int level, int option, const char *name, int value);

/* Send or receive exactly size bytes. */
void tcp_send_all(struct link *l, const unsigned char *bytes, uint64_t size);
void tcp_receive_all(struct link *l, unsigned char *bytes, uint64_t size);

/* Receives what is there, at least one byte; returns how many. */
uint64_t tcp_receive_some(struct link *l, unsigned char *bytes, uint64_t size);

/* Pushes out all bytes: none waits for more to be sent. */
void tcp_push(struct link *l);

/* Control messages between rounds: a byte, or a number. */
void tcp_signal(struct link *l, enum control control);
enum control tcp_await(struct link *l);
void tcp_order(struct link *l, uint32_t number);
uint32_t tcp_ordered(struct link *l);

/* Sends the windows that the receiver saw back to the sender. */
void tcp_tell(struct link *l, const struct sample *windows, size_t count);

/* Receives windows and returns how many; exits if there are none, or more than there is room for. */
size_t tcp_hear(struct link *l, struct sample *windows, size_t room);

#endif
