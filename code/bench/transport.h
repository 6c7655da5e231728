/* What a transport must be able to do. Each is one file that fills this struct. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "options.h"
#include "session.h"
#include "windows.h"

/* What a control message says: go on, or, to a server that answers rounds, that there are no more. */
enum control { CONTROL_GO, CONTROL_STOP };

struct link; /* a transport's own state; each defines it */

/* How the messages of one size go over the link. */
struct flow {
	uint64_t size_bytes, iterations, warmup;
	uint64_t asked;        /* iterations by the options: no more than these */
	uint64_t sample_every; /* latency: of so many round trips one is kept as a sample */
	uint64_t slots;        /* messages the buffer holds side by side: buffer_slots() */
	uint64_t depth;        /* messages under way at most */
	uint64_t post_list;    /* messages started by one call */
	uint64_t singles;      /* the first messages, each started by a call of its own; 0: the first list is whole */
	uint64_t signal_every; /* messages per completion */
	uint64_t operations;   /* work requests or writes per message: more than 1 if it must be cut */
	uint64_t inline_bytes; /* bytes of a message that travel inside its request: all or 0 */
	bool to_client;        /* READ: the data flow from the server */
	bool marked;           /* the last byte is a mark that the receiver spins on, not pattern */
};

struct transport {
	const char *name;
	struct option_spec *options; /* its own, ended by a NULL name */
	side_tune tune;              /* socket options of the side channel, or NULL */
	struct link *(*open)(const struct options *, const struct session *);
	void (*plan)(struct link *, struct flow *);         /* fills the flow from depth on; refuses what can't be */
	void (*begin)(struct link *, uint64_t messages);    /* both ends: a round of these many messages comes */
	uint64_t (*post)(struct link *, uint64_t messages); /* client: starts these many; how many it started */
	uint64_t (*peek)(struct link *); /* client: how many have been completed meanwhile; does not wait */
	uint64_t (*reap)(struct link *); /* client: waits until some are complete; how many */
	void (*arrive)(struct link *, struct windows *); /* server: waits until the round has landed */
	void (*finish)(struct link *);                   /* client: tells a server that can't see it that all is sent */
	void (*signal)(struct link *, enum control);     /* sends a control message */
	enum control (*await)(struct link *);            /* waits for a control message */
	void (*order)(struct link *, uint32_t number);   /* client: sends a number as a control message */
	uint32_t (*ordered)(struct link *);              /* server: waits for it */
	/* Where a client has no completions (peek and reap are NULL), arrive looks for windows, and these send them
	 * back. */
	void (*tell)(struct link *, const struct sample *, size_t count);
	size_t (*hear)(struct link *, struct sample *, size_t room);
	/* Latency. Both are loops, since a call for each message would be a visible part of a card's round trip. */
	void (*pings)(struct link *, uint64_t messages,
		      uint64_t *stamps);                             /* client: each there and back, then a stamp */
	void (*pongs)(struct link *, uint64_t messages);             /* server: waits for each and answers it */
	unsigned char *(*outgoing)(struct link *, uint64_t message); /* where that message of the round is sent from */
	unsigned char *(*incoming)(struct link *, uint64_t message); /* where it lands */
	void (*drain)(struct link *); /* waits until all that was sent is acknowledged; may be NULL */
	void (*close)(struct link *);
};

extern const struct transport verbs_transport, tcp_transport;

#endif
