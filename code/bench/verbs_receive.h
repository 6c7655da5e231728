/* Receive requests: what keeps them ready, and what arrives in them. */
#ifndef VERBS_RECEIVE_H
#define VERBS_RECEIVE_H

#include "verbs_link.h"

void verbs_receive_refill(struct link *l);                       /* up to rx_depth, and no more than the round uses */
void verbs_receive_controls(struct link *l, unsigned int count); /* requests that stand ready for control messages */
enum control verbs_receive_control(struct link *l);              /* waits for one */
uint32_t verbs_receive_order(struct link *l);
void verbs_receive_message(struct link *l); /* waits for one, and leaves it to the caller when to refill */
void verbs_receive_round(struct link *l);   /* waits for all messages of the round */

#endif
