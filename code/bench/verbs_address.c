#include "verbs_link.h"

#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "side.h"

#define SUBNET_PREFIX 8 /* bytes of a GID */

/* RoCE has only GIDs. InfiniBand needs them if a LID does not reach the other end, if a port requires them, or for a
 * traffic class, which is in their header; elsewhere that would cost 40 bytes per packet (InfiniBand Architecture 1.4,
 * 5.2.2). */
static bool needs_global_route(const struct link *l)
{
	const struct ibv_port_attr *port = &l->path.port;

	return port->link_layer == IBV_LINK_LAYER_ETHERNET || port->lid == 0 || port->flags & IBV_QPF_GRH_REQUIRED ||
	       l->verbs->gid_index != AUTO || l->verbs->tclass > 0;
}

/* READs that this end answers at once. bnxt_re refuses more than max_qp_init_rd_atom there (bnxt_re_modify_qp of the
 * kernel). */
static uint32_t reads_here(const struct ibv_device_attr *device)
{
	return (uint32_t)least(least((uint64_t)device->max_qp_rd_atom, (uint64_t)device->max_qp_init_rd_atom),
			       UINT8_MAX);
}

static void describe_here(struct link *l)
{
	l->here = (struct verbs_address){
		.buffer = (uintptr_t)(l->verbs->operation == OP_READ ? buffer_outgoing : buffer_incoming)(&l->buffer, 1,
													  0),
		.max_message_bytes = l->path.port.max_msg_sz,
		.buffer_key = l->mr->rkey,
		.psn = (uint32_t)now_ns() & 0xffffff, /* a late packet of an earlier connection must not match */
		.lid = l->path.port.lid,
		.link_layer = l->path.port.link_layer,
		.gid_type = l->path.gid_type,
		.mtu = l->path.mtu,
		.reads = reads_here(&l->path.device),
		.global_route = needs_global_route(l),
	};
	memcpy(l->here.gid, l->path.gid.raw, 16);
	l->here.control_qp = l->control.qp->qp_num;
	for (uint64_t i = 0; i < l->pair_count; i++)
		l->here.qps[i] = l->pairs[i].qp->qp_num;
}

/* Big-endian as sent; the same code swaps back. */
static struct verbs_address swapped(const struct verbs_address *a)
{
	struct verbs_address s = {
		htobe64(a->buffer),
		htobe64(a->max_message_bytes),
		htonl(a->buffer_key),
		htonl(a->control_qp),
		htonl(a->psn),
		htonl(a->lid),
		htonl(a->link_layer),
		htonl(a->gid_type),
		htonl(a->mtu),
		htonl(a->reads),
		htonl(a->global_route),
		{ 0 },
		{ 0 },
	};

	memcpy(s.gid, a->gid, 16);
	for (size_t i = 0; i < VERBS_PAIRS_MAX; i++)
		s.qps[i] = htonl(a->qps[i]);
	return s;
}

static void exchange(const struct link *l, const void *ours, void *theirs, size_t size)
{
	uint64_t deadline = ns_from_now(l->options->deadline_s);

	if (!side_write(l->side, ours, size) || !side_read(l->side, theirs, size, deadline))
		die("the other end left while the connection was made; look at its message");
}

static bool same_subnet(const struct link *l)
{
	return memcmp(l->here.gid, l->there.gid, SUBNET_PREFIX) == 0;
}

static void agree(struct link *l)
{
	struct verbs_address wire = swapped(&l->here);

	exchange(l, &wire, &wire, sizeof(wire));
	l->there = swapped(&wire);
	if (l->here.link_layer != l->there.link_layer || l->here.gid_type != l->there.gid_type)
		die("the two ends chose GIDs of different types (%u here, %u there): give both --gid-index",
		    l->here.gid_type, l->there.gid_type);
	if (l->here.mtu != l->there.mtu)
		die("the two ports have different MTUs (%u here, %u there): give both --mtu", 128u << l->here.mtu,
		    128u << l->there.mtu);
	if (verbs_chunk_bytes(l) == 0)
		die("the longest message is %" PRIu64 " bytes here and %" PRIu64 " there, so none can be sent; see "
		    "max_msg_sz in `ibv_devinfo -v`",
		    l->here.max_message_bytes, l->there.max_message_bytes);
	l->global_route = l->here.global_route || l->there.global_route || !same_subnet(l);
}

void verbs_addresses_exchange(struct link *l)
{
	describe_here(l);
	agree(l);
}

void verbs_barrier(struct link *l)
{
	char ready = 'r';

	exchange(l, &ready, &ready, 1);
}
