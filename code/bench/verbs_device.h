/* The device, its port, MTU and GID, from which packets leave, chosen by rules that are printed. */
#ifndef VERBS_DEVICE_H
#define VERBS_DEVICE_H

#include <infiniband/verbs.h>

#include "verbs_options.h"

struct verbs_path {
	struct ibv_context *context;
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	uint8_t port_number;
	uint32_t gid_index, gid_type;
	union ibv_gid gid;
	enum ibv_mtu mtu;
};

/* Exits if there is none. */
struct verbs_path verbs_path_choose(const struct options *o, const struct verbs_options *v, int side);

#endif
