/* A transport: each fills this struct in one file. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "options.h"
#include "session.h"
#include "windows.h"

/* A control message: go on, or stop: the server gets no more rounds. */
enum control { CONTROL_GO, CONTROL_STOP };

#define SHARES_MAX 64 /* queue pairs or connections at most */

struct link; /* the state of a transport; each defines it */

#define UNTIL_STOPPED                                                                                                  \
	(1ull << 40) /* messages of a round that ends by time: more than any number that an option takes */

/* Whether all messages of a round arrive. If they may be lost, the receiver counts them; it sees no WRITE. */
enum arrival { ALL_ARRIVE, MAY_BE_LOST, IS_NOT_SEEN };

/* How the messages of one size are sent. */
struct flow {
	uint64_t size_bytes, iterations, warmup;
	uint64_t asked;        /* iterations that the options ask for; `iterations` is a multiple */
	uint64_t sample_every; /* latency: one round trip in this many is kept as a sample */
	uint64_t slots;        /* messages side by side in the buffer: buffer_slots() */
	uint64_t depth;        /* messages in flight at most */
	uint64_t post_list;    /* messages posted by one call */
	uint64_t singles;      /* first messages that are posted one by one; 0: none */
	uint64_t signal_every; /* messages per completion */
	uint64_t operations;   /* work requests or writes per message: more than 1 if it must be cut */
	uint64_t inline_bytes; /* bytes of a message inside its request: all or 0 */
	bool to_client;        /* READ: data flow from the server */
	bool marked;           /* the receiver polls the last byte: it is a mark, not pattern */
	enum arrival arrival;
};

struct transport {
	const char *name;
	struct option_spec *options; /* ended by a NULL name */
	side_tune tune;              /* sets socket options of the side channel; may be NULL */
	struct link *(*open)(const struct options *, const struct session *);
	void (*plan)(struct link *, struct flow *);      /* fills the flow from depth on; refuses what is impossible */
	void (*begin)(struct link *, uint64_t messages); /* both ends: a round of this many messages begins */
	uint64_t (*post)(struct link *,
			 uint64_t messages); /* client: posts up to this many messages; returns how many */
	uint64_t (*peek)(struct link *);     /* client: messages that have completed; does not wait */
	uint64_t (*reap)(struct link *);     /* client: waits for completions; returns how many messages */
	uint64_t (*stop)(struct link
				 *); /* ends a round of UNTIL_STOPPED messages soon; returns how many it has in all */
	/* Client: what each queue pair has sent, and the time at which that had completed; returns their number, 0 for
	 * a single one. May be NULL. */
	size_t (*shares)(struct link *, struct sample *);
	/* Server: waits until the round has arrived. Of both directions without completions, each end also sends its
	 * messages meanwhile. */
	void (*arrive)(struct link *, struct windows *);
	/* Server, if messages may be lost: how many of the round were, and the time from the first that arrived to the
	 * last. */
	struct sample (*lost)(struct link *);
	void (*finish)(struct link *); /* client: notifies a server that cannot see the end of the round itself */
	void (*signal)(struct link *, enum control);   /* sends a control message */
	enum control (*await)(struct link *);          /* waits for a control message */
	void (*order)(struct link *, uint32_t number); /* sends a number as a control message */
	uint32_t (*ordered)(struct link *);            /* the other end: waits for that number */
	/* If the client has no completions (peek and reap are NULL), arrive takes the windows, and these two send them
	 * to the client. */
	void (*tell)(struct link *, const struct sample *, size_t count);
	size_t (*hear)(struct link *, struct sample *, size_t room);
	/* Latency. Both contain the loop, since a call per message would be a visible part of the round trip over a
	 * card. */
	void (*pings)(struct link *, uint64_t messages,
		      uint64_t *stamps);                             /* client: round trips, with a stamp after each */
	void (*pongs)(struct link *, uint64_t messages);             /* server: waits for each message and answers it */
	unsigned char *(*outgoing)(struct link *, uint64_t message); /* where a message of the round is sent from */
	unsigned char *(*incoming)(struct link *, uint64_t message); /* where it arrives */
	void (*drain)(struct link *); /* waits until all sends are acknowledged; may be NULL */
	void (*close)(struct link *);
};

extern const struct transport verbs_transport, tcp_transport;

#endif
