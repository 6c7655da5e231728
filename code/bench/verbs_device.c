#include "verbs_device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "csv.h"
#include "die.h"

struct gid_table {
	struct ibv_gid_entry *entries;
	ssize_t count; /* or -errno */
};

/* The local address of the side channel; IPv4 mapped to IPv6, as in GIDs. */
static struct in6_addr own_address(int side)
{
	struct sockaddr_storage a;
	socklen_t length = sizeof(a);
	struct in6_addr address = { 0 };

	if (getsockname(side, (struct sockaddr *)&a, &length))
		die("getsockname: %s", strerror(errno));
	if (a.ss_family == AF_INET6)
		return ((struct sockaddr_in6 *)&a)->sin6_addr;
	address.s6_addr[10] = address.s6_addr[11] = 0xff;
	memcpy(&address.s6_addr[12], &((struct sockaddr_in *)&a)->sin_addr, 4);
	return address;
}

/* The kernel refuses a table without room for the GIDs of all ports. */
static size_t most_gids(struct ibv_context *context)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	size_t most = 0;

	if (ibv_query_device(context, &device))
		return 0;
	for (unsigned int i = 1; i <= device.phys_port_cnt; i++)
		if (ibv_query_port(context, (uint8_t)i, &port) == 0 && port.gid_tbl_len > 0)
			most += (size_t)port.gid_tbl_len;
	return most;
}

static struct gid_table read_gids(struct ibv_context *context)
{
	const size_t room = most_gids(context);
	struct gid_table t = { .entries = calloc(room + 1, sizeof(*t.entries)) };

	if (!t.entries)
		die("no memory for %zu GIDs", room);
	t.count = ibv_query_gid_table(context, t.entries, room, 0);
	return t;
}

/* Whether that port has the address from which the side channel connects. */
static bool gid_is_on(struct ibv_context *context, uint8_t port, int side)
{
	const struct in6_addr address = own_address(side);
	const struct gid_table t = read_gids(context);
	bool found = false;

	for (ssize_t i = 0; i < t.count && !found; i++)
		found = t.entries[i].port_num == port && memcmp(t.entries[i].gid.raw, &address, sizeof(address)) == 0;
	free(t.entries);
	return found;
}

static bool same_family(const struct in6_addr *address, const union ibv_gid *gid)
{
	const struct in6_addr *other = (const struct in6_addr *)gid->raw;

	return IN6_IS_ADDR_V4MAPPED(address) == IN6_IS_ADDR_V4MAPPED(other);
}

/* How well a GID suits: the address of the side channel, else a RoCE v2 GID of its family that is not link-local, else
 * any. */
static int suits(const struct ibv_gid_entry *gid, const struct in6_addr *address)
{
	const struct in6_addr *raw = (const struct in6_addr *)gid->gid.raw;

	if (gid->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 1;
	if (memcmp(raw, address, sizeof(*raw)) == 0)
		return 4;
	return same_family(address, &gid->gid) && !IN6_IS_ADDR_LINKLOCAL(raw) ? 3 : 2;
}

static const struct ibv_gid_entry *best_of(const struct gid_table *t, uint8_t port, uint64_t wanted, int side)
{
	const struct in6_addr address = own_address(side);
	const struct ibv_gid_entry *best = NULL, *gid;

	for (gid = t->entries; gid < t->entries + t->count; gid++) {
		if (gid->port_num != port || gid->gid_index > VERBS_GID_INDEX_MAX)
			continue;
		if (wanted != AUTO && gid->gid_index == wanted)
			return gid;
		if (wanted == AUTO && (!best || suits(gid, &address) > suits(best, &address)))
			best = gid;
	}
	return best;
}

/* The GID of an index, or, for AUTO, the one that suits best; exits if there is none. */
static struct ibv_gid_entry choose_gid(struct ibv_context *context, uint8_t port, uint64_t wanted, int side)
{
	const char *name = ibv_get_device_name(context->device);
	const struct gid_table t = read_gids(context);
	const struct ibv_gid_entry *best;
	struct ibv_gid_entry chosen;

	if (t.count < 0)
		die("the GIDs of %s can't be read: %s", name, strerror((int)-t.count));
	best = best_of(&t, port, wanted, side);
	if (!best)
		die("%s port %u has no GID%s; give its network interface an address, or see `ibv_devinfo -v`", name,
		    port, wanted == AUTO ? "" : " of the index that --gid-index names");
	chosen = *best;
	free(t.entries);
	return chosen;
}

static bool port_is_active(struct ibv_context *context, uint8_t port)
{
	struct ibv_port_attr attr;

	return ibv_query_port(context, port, &attr) == 0 && attr.state == IBV_PORT_ACTIVE;
}

/* The device of a name, or the first with an active port, or the first with an active port that has the address of the
 * side channel; `refused` gets the errno of a device that can't be opened. */
static struct ibv_context *first_device(struct ibv_device **list, const char *wanted, uint8_t port, const int *side,
					int *refused)
{
	struct ibv_context *context;
	bool suits;

	for (; *list; list++) {
		if (*wanted && strcmp(wanted, ibv_get_device_name(*list)) != 0)
			continue;
		context = ibv_open_device(*list);
		if (!context) {
			*refused = errno;
			continue;
		}
		suits = *wanted || (port_is_active(context, port) && (!side || gid_is_on(context, port, *side)));
		if (suits)
			return context;
		ibv_close_device(context);
	}
	return NULL;
}

static struct ibv_context *find_device(const char *wanted, uint8_t port, int side)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *found = NULL;
	int refused = 0;

	if (list)
		found = first_device(list, wanted, port, &side, &refused);
	if (list && !found)
		found = first_device(list, wanted, port, NULL, &refused);
	if (!found && refused)
		die("can't open RDMA device %s: %s; check the permissions of /dev/infiniband",
		    *wanted ? wanted : "with an active port", strerror(refused));
	if (!found && *wanted)
		die("there is no RDMA device %s; `ibv_devices` lists the devices", wanted);
	if (!found)
		die("there is no RDMA device with an active port %u; `rdma link` shows them", port);
	ibv_free_device_list(list);
	return found;
}

static enum ibv_mtu choose_mtu(const struct verbs_path *p, uint64_t wanted)
{
	if (wanted == AUTO)
		return p->port.active_mtu;
	for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
		if (128u << mtu == wanted && mtu <= p->port.active_mtu)
			return mtu;
	die("--mtu %" PRIu64 ": this port takes a power of two from 256 to %u", wanted, 128u << p->port.active_mtu);
}

static void note_path(const struct verbs_path *p)
{
	static const char *const types[] = { "ib", "roce_v1", "roce_v2" };
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, p->gid.raw, text, sizeof(text));
	csv_note("chosen_device", "%s", ibv_get_device_name(p->context->device));
	csv_note("device_rule",
		 "--device, else the first whose port has the side channel's own address, else the first "
		 "with an active port");
	csv_note("chosen_gid", "%s", text);
	csv_note("chosen_gid_index", "%u", p->gid_index);
	csv_note("gid_type", "%s", p->gid_type < 3 ? types[p->gid_type] : "other");
	csv_note("gid_rule", "side channel's own address, else RoCE v2 of its family, else the first");
	csv_note("max_message_bytes", "%u", p->port.max_msg_sz);
}

struct verbs_path verbs_path_choose(const struct options *o, const struct verbs_options *v, int side)
{
	struct verbs_path p = { .port_number = (uint8_t)v->ib_port };
	struct ibv_gid_entry gid;

	p.context = find_device(v->device, p.port_number, side);
	if (ibv_query_device(p.context, &p.device) || ibv_query_port(p.context, p.port_number, &p.port))
		die("%s has no port %u", ibv_get_device_name(p.context->device), p.port_number);
	if (p.port.state != IBV_PORT_ACTIVE)
		die("%s port %u is %s; bring its link up", ibv_get_device_name(p.context->device), p.port_number,
		    ibv_port_state_str(p.port.state));
	gid = choose_gid(p.context, p.port_number, v->gid_index, side);
	p.gid_index = gid.gid_index;
	p.gid_type = gid.gid_type;
	p.gid = gid.gid;
	p.mtu = choose_mtu(&p, v->mtu);
	if (v->pkey_index > 0 && v->pkey_index >= p.port.pkey_tbl_len)
		die("--pkey-index %" PRIu64 ": the last P_Key of this port has index %u", v->pkey_index,
		    p.port.pkey_tbl_len > 0 ? p.port.pkey_tbl_len - 1 : 0);
	if (o->role == CLIENT)
		note_path(&p);
	return p;
}
