/* Send requests: a prebuilt ring of them, their completions, and control messages. */
#ifndef VERBS_SEND_H
#define VERBS_SEND_H

#include "verbs_link.h"

void verbs_ring_build(struct link *l);
uint64_t verbs_send_post(struct link *l, uint64_t messages);
void verbs_send_one(struct link *l); /* a ping or pong: the next of the ring */
uint64_t verbs_send_peek(struct link *l);
uint64_t verbs_send_reap(struct link *l);
void verbs_send_control(struct link *l, enum control control);
void verbs_send_order(struct link *l, uint32_t number); /* a control message that is nothing but a number */
void verbs_send_drain(struct link *l);

#endif
