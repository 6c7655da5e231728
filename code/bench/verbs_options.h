/* The options of the verbs programs. */
#ifndef VERBS_OPTIONS_H
#define VERBS_OPTIONS_H

#include "options.h"

#define VERBS_GID_INDEX_MAX UINT8_MAX /* an address handle has one byte for it */

enum operation { OP_WRITE, OP_READ, OP_SEND, OP_WRITE_IMM };

enum connection { RELIABLE, UNRELIABLE, DATAGRAMS }; /* RC, UC, UD */

#define VERBS_PAIRS_MAX 64

enum completion_queues { QUEUES_SHARED, QUEUES_EACH };

enum relaxed_ordering { RELAXED_AUTO, RELAXED_YES, RELAXED_NO };

struct verbs_options {
	uint64_t operation;                /* enum operation */
	uint64_t connection;               /* enum connection */
	uint64_t relaxed_ordering;         /* enum relaxed_ordering */
	uint64_t pairs, completion_queues; /* the latter: enum completion_queues */
	uint64_t tx_depth, rx_depth, post_list, signal_every, inline_bytes, mtu, timeout, rnr_timer;
	uint64_t tclass, sl, pkey_index;
	const char *device;
	uint64_t ib_port, gid_index;
};

extern struct option_spec verbs_option_specs[];

/* The values of the command line. */
const struct verbs_options *verbs_options_get(void);

#endif
