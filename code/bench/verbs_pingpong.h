/* Ping-pong: messages there and back. */
#ifndef VERBS_PINGPONG_H
#define VERBS_PINGPONG_H

#include "verbs_link.h"

/* A round of messages that show by their last byte that they are there comes. */
void verbs_marks_begin(struct link *l);
void verbs_pings(struct link *l, uint64_t messages, uint64_t *stamps);
void verbs_pongs(struct link *l, uint64_t messages);

#endif
