/* The addresses of a device's ports, and which of them suits a side channel. */
#ifndef VERBS_GID_H
#define VERBS_GID_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether that port has the side channel's own address. */
bool verbs_gid_is_on(struct ibv_context *context, uint8_t port, int side);

/* The one of the wanted index, or, for AUTO, the one that suits best; exits if there is none. */
struct ibv_gid_entry verbs_gid_choose(struct ibv_context *context, uint8_t port, uint64_t wanted, int side);

#endif
