#ifndef TCP_H
#define TCP_H

#include "transport.h"

extern const struct transport tcp_transport;

#endif
