/* Control messages between rounds: a byte, or a number. */
#ifndef TCP_CONTROL_H
#define TCP_CONTROL_H

#include "transport.h"

void tcp_signal(struct link *l, enum control control);
enum control tcp_await(struct link *l);
void tcp_order(struct link *l, uint32_t number);
uint32_t tcp_ordered(struct link *l);

#endif
