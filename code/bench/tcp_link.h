/* TCP sockets: the connection of the side channel carries the messages too, so that all is one link. */
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

#endif
