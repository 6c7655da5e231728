/* From a path to a connected queue pair: reset, init, ready to receive, ready to send. */
#ifndef VERBS_CONNECT_H
#define VERBS_CONNECT_H

#include "verbs_link.h"

/* Makes queue pair and memory region, and connects them with the other end's. */
void verbs_connect(struct link *l);
void verbs_disconnect(struct link *l);

#endif
