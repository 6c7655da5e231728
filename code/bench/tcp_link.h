/* The TCP transport: the connection of the side channel carries messages too, so that one stream needs no other. */
#ifndef TCP_LINK_H
#define TCP_LINK_H

#include "buffer.h"
#include "transport.h"

#define TCP_END 1 /* the byte after the last message of a round that ends by time */
#define TCP_STREAMS_MAX 16
#define TCP_LANDING_BYTES (1u << 20) /* bytes of one recv: many small messages, or a part of a large one */

/* A connection, and what it has moved of a round. */
struct tcp_stream {
	int fd;
	uint64_t messages, posted; /* of this connection: all, and sent as a whole */
	uint64_t bytes;            /* sent of the next message */
	uint64_t received;         /* bytes of all messages */
	uint64_t end_ns;           /* when all had arrived */
	bool sent, arrived;        /* all of this end, and all of the other one */
};

struct link {
	int fd; /* of the side channel, and of the first stream */
	struct tcp_stream streams[TCP_STREAMS_MAX];
	uint64_t stream_count, turn;
	int flags; /* flags of send and recv: how to wait */
	bool yield, sleeps, check, nodelay, sends, receives;
	bool hurries;        /* control messages do not wait until data are acknowledged: clocks run */
	unsigned char early; /* a control message that arrived with the mark of the end; 0: none */
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

/* Several connections that share the messages of a round; all calls are of all of them. */
void tcp_streams_open(struct link *l, uint64_t count, const struct options *o, const struct session *s, side_tune tune);
void tcp_streams_begin(struct link *l, uint64_t messages);
uint64_t tcp_streams_post(struct link *l); /* sends one message, on whichever connection has room; returns 1 */
uint64_t tcp_streams_stop(struct link *l);
void tcp_streams_finish(struct link *l);
void tcp_streams_arrive(struct link *l, struct windows *w);
size_t tcp_streams_shares(struct link *l, struct sample *shares);

/* Pushes out all bytes of a connection: none waits for more to be sent. */
void tcp_push(const struct link *l, int fd);

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
