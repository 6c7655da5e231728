/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into programs with `emulate = ["gids"]`, whose index of a GID is that of another card, such as 3. The GID
 * at each index is the one of RoCE v2 that is the port's IPv4 address. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>

enum { GIDS = 32 };

static int has_address(const struct ibv_gid_entry *entry)
{
	return entry->gid_type == IBV_GID_TYPE_ROCE_V2 && entry->gid.global.subnet_prefix == 0; /* ::ffff:10.0.0.1 */
}

/* Finds the GID that stands for an index; InfiniBand has none. */
static int find_gid(struct ibv_context *context, uint8_t port, int wanted, struct ibv_gid_entry *entry)
{
	if (ibv_query_gid_ex(context, port, (uint32_t)wanted, entry, 0) == 0 && has_address(entry))
		return 1;
	for (uint32_t index = 0; index < GIDS; index++)
		if (ibv_query_gid_ex(context, port, index, entry, 0) == 0 && has_address(entry))
			return 1;
	return 0;
}

int(ibv_query_gid)(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	int (*next)(struct ibv_context *, uint8_t, int, union ibv_gid *) = dlsym(RTLD_NEXT, "ibv_query_gid");
	struct ibv_gid_entry found;

	if (!find_gid(context, port, index, &found))
		return next(context, port, index, gid);
	*gid = found.gid;
	return 0;
}

static void choose(struct ibv_context *context, struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry found;

	if (attr->is_global && find_gid(context, attr->port_num, attr->grh.sgid_index, &found))
		attr->grh.sgid_index = (uint8_t)found.gid_index;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*next)(struct ibv_qp *, struct ibv_qp_attr *, int) = dlsym(RTLD_NEXT, "ibv_modify_qp");
	struct ibv_qp_attr chosen = *attr;

	if (mask & IBV_QP_AV)
		choose(qp->context, &chosen.ah_attr);
	return next(qp, &chosen, mask);
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *(*next)(struct ibv_pd *, struct ibv_ah_attr *) = dlsym(RTLD_NEXT, "ibv_create_ah");
	struct ibv_ah_attr chosen = *attr;

	choose(pd->context, &chosen);
	return next(pd, &chosen);
}
