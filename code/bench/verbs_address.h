/* What each end tells the other over the side channel before they are connected, and where the two can't agree. */
#ifndef VERBS_ADDRESS_H
#define VERBS_ADDRESS_H

#include "verbs_link.h"

/* Fills in here and there; needs the queue pair and the memory region. */
void verbs_addresses_exchange(struct link *l);

/* Returns when the other end has come as far: it has receive requests ready. */
void verbs_barrier(struct link *l);

#endif
