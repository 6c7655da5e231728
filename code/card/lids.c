/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into programs with `emulate = ["lids"]`, which name a peer by its LID alone, as on InfiniBand. A port of
 * RoCE gets the last 16 bits of its IPv4 address as its LID, and a peer the GID that ends in its LID. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>

enum { GIDS = 32, LAST = 14, HOPS = 64 };

static int (*query_port_next)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);

static int has_address(const struct ibv_gid_entry *entry)
{
	return entry->gid_type == IBV_GID_TYPE_ROCE_V2 && entry->gid.global.subnet_prefix == 0; /* ::ffff:10.0.0.1 */
}

/* Finds the GID of RoCE v2 that is an IPv4 address; InfiniBand has none. */
static int find_gid(struct ibv_context *context, uint8_t port, struct ibv_gid_entry *entry)
{
	for (uint32_t index = 0; index < GIDS; index++)
		if (ibv_query_gid_ex(context, port, index, entry, 0) == 0 && has_address(entry))
			return 1;
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	const int error = query_port_next(context, port, attr, size);
	struct ibv_gid_entry here;

	if (!error && find_gid(context, port, &here))
		attr->lid = (uint16_t)(here.gid.raw[LAST] << 8 | here.gid.raw[LAST + 1]);
	return error;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*next)(struct ibv_device *) = dlsym(RTLD_NEXT, "ibv_open_device");
	struct ibv_context *context = next(device);
	struct verbs_context *more = context ? verbs_get_ctx(context) : NULL;

	if (more && more->query_port != query_port) {
		query_port_next = more->query_port;
		more->query_port = query_port;
	}
	return context;
}

static void route(struct ibv_context *context, struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry here;

	if (attr->is_global || !find_gid(context, attr->port_num, &here))
		return;
	attr->is_global = 1;
	attr->grh =
		(struct ibv_global_route){ .dgid = here.gid, .sgid_index = (uint8_t)here.gid_index, .hop_limit = HOPS };
	attr->grh.dgid.raw[LAST] = (uint8_t)(attr->dlid >> 8);
	attr->grh.dgid.raw[LAST + 1] = (uint8_t)attr->dlid;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*next)(struct ibv_qp *, struct ibv_qp_attr *, int) = dlsym(RTLD_NEXT, "ibv_modify_qp");
	struct ibv_qp_attr routed = *attr;

	if (mask & IBV_QP_AV)
		route(qp->context, &routed.ah_attr);
	return next(qp, &routed, mask);
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *(*next)(struct ibv_pd *, struct ibv_ah_attr *) = dlsym(RTLD_NEXT, "ibv_create_ah");
	struct ibv_ah_attr routed = *attr;

	route(pd->context, &routed);
	return next(pd, &routed);
}
