/* TCP sockets: the connection of the side channel carries the messages too, so one link has both. */
#ifndef TCP_LINK_H
#define TCP_LINK_H

#include "buffer.h"
#include "transport.h"

struct link {
	int fd;
	int flags; /* of send and recv: how to wait */
	bool yield, check, nodelay;
	struct flow flow;
	struct buffer buffer;
	unsigned char *landing;
	uint64_t messages, posted, arrived; /* of the round */
	int64_t sent, acknowledged;         /* bytes, of all rounds; the latter where it was looked at last */
};

/* Sets a socket option or exits with its name. */
void tcp_set(int fd, int level, int option, const char *name, int value);

/* Exactly so many. */
void tcp_send_all(struct link *l, const unsigned char *bytes, uint64_t size);
void tcp_receive_all(struct link *l, unsigned char *bytes, uint64_t size);

/* What there is, at least one byte: how many. */
uint64_t tcp_receive_some(struct link *l, unsigned char *bytes, uint64_t size);

/* Nothing that was sent waits for more. */
void tcp_push(struct link *l);

void tcp_signal(struct link *l, enum control control);
enum control tcp_await(struct link *l);
void tcp_order(struct link *l, uint32_t number);
uint32_t tcp_ordered(struct link *l);

void tcp_tell(struct link *l, const struct sample *windows, size_t count);

/* How many came; exits if there is none, or no room for them. */
size_t tcp_hear(struct link *l, struct sample *windows, size_t room);

#endif
