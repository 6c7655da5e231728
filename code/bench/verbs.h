/* RDMA verbs on a reliable connection: WRITE, READ, SEND and WRITE with immediate. */
#ifndef VERBS_H
#define VERBS_H

#include "transport.h"

extern const struct transport verbs_transport;

#endif
