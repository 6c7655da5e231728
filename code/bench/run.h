/* One size on one link: what every step of its measurement needs. */
#ifndef RUN_H
#define RUN_H

#include "result.h"
#include "transport.h"

struct run {
	const struct transport *transport;
	struct link *link;
	const struct options *options;
	const struct flow *flow;
	struct result *result; /* the client's findings; for the server room for as many samples */
};

#endif
