/* A transport without a network, for tests of the engine: messages complete after known delays. */
#ifndef NULL_H
#define NULL_H

#include "transport.h"

extern const struct transport null_transport;

/* What the tests set before a run, and check after it. */
struct null_link {
	uint64_t message_ns; /* time per message */
	uint64_t drift_ns;   /* more per message in each further round */
	uint64_t there_ns;   /* delay of the first message, and of a control message */
	uint64_t back_ns;    /* delay of completions, and of control messages from the server */
	uint64_t answer_ns;  /* delay of the server before the control message that ends a round */
	bool one_sided;      /* the server must be notified of the end of a round */
	uint64_t clump;      /* messages that complete together */
	uint64_t depth, post_list, singles;
	uint64_t orders, last_order;
	uint64_t sent; /* messages of the round */
	uint64_t posts, under_way, most_under_way, completed, rounds, finished, answered, stops;
	bool begun, asked; /* a round whose first message is still to come; a control message without an answer */
};

struct link *null_open(const struct null_link *setting);
struct null_link *null_state(struct link *l);
void null_free(struct link *l);

#endif
