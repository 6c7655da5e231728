/* Where the messages of a round lie, and into what pieces they are cut. */
#ifndef VERBS_LAYOUT_H
#define VERBS_LAYOUT_H

#include "verbs_link.h"

uint64_t verbs_chunk_bytes(const struct link *l);                /* the most that one request carries */
unsigned char *verbs_outgoing(struct link *l, uint64_t message); /* the slot of a message of the round */
unsigned char *verbs_incoming(struct link *l, uint64_t message);

#endif
