/* A transport without a network: messages complete after known delays. It tests the engine. */
#ifndef NULL_H
#define NULL_H

#include "transport.h"

extern const struct transport null_transport;

/* What the tests set before, and look at after, a run. */
struct null_link {
	uint64_t message_ns; /* the clock of the link moves by so much per message */
	uint64_t drift_ns;   /* and by so much more in each further round */
	uint64_t answer_ns;  /* until the control message that ends a round */
	uint64_t clump;      /* completions come in lumps of so many */
	uint64_t depth, post_list;
	uint64_t orders, last_order;
	uint64_t posts, under_way, most_under_way, completed, rounds, finished, answered, stops;
};

struct link *null_open(const struct null_link *setting);
struct null_link *null_state(struct link *l);
void null_free(struct link *l);

#endif
