/* Ping-pong: one message there and back. How it is done is chosen before the loop. */
#ifndef VERBS_PINGPONG_H
#define VERBS_PINGPONG_H

#include "verbs_link.h"

void verbs_pingpong_choose(struct link *l); /* by flow and role, once per size */
void verbs_pingpong(struct link *l);

#endif
