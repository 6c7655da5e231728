/* A transport without a network: messages complete after known delays. It tests the engine. */
#ifndef NULL_H
#define NULL_H

#include "transport.h"

extern const struct transport null_transport;

/* What the tests set before, and look at after, a run. */
struct null_link {
	uint64_t message_ns; /* by which the link's clock moves per message */
	uint64_t drift_ns;   /* by which it moves more in each further round */
	uint64_t there_ns;   /* the way of the first message, and of a control message */
	uint64_t back_ns;    /* the way of completions, and of the server's control messages */
	uint64_t answer_ns;  /* how long the server thinks before the one that ends a round */
	bool one_sided;      /* it has to be told first that all is there */
	uint64_t clump;      /* that complete together */
	uint64_t depth, post_list, singles;
	uint64_t orders, last_order;
	uint64_t posts, under_way, most_under_way, completed, rounds, finished, answered, stops;
	bool begun, asked; /* a round whose first message is still to come; a control message without answer */
};

struct link *null_open(const struct null_link *setting);
struct null_link *null_state(struct link *l);
void null_free(struct link *l);

#endif
