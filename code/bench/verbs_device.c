/* The rules by which device, port, MTU and GID are chosen; every choice is printed. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "csv.h"
#include "die.h"
#include "verbs.h"

#define GIDS_MAX 256

static struct ibv_context *open_device(struct ibv_device *device)
{
	struct ibv_context *context = ibv_open_device(device);

	if (!context)
		die("can't open RDMA device %s: %s; check the permissions of /dev/infiniband",
		    ibv_get_device_name(device), strerror(errno));
	return context;
}

static bool port_is_active(struct ibv_context *context, uint8_t port)
{
	struct ibv_port_attr attr;

	return ibv_query_port(context, port, &attr) == 0 && attr.state == IBV_PORT_ACTIVE;
}

/* The device that was asked for, or the first one whose port is active. */
static struct ibv_context *find_device(const char *wanted, uint8_t port)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_context *found = NULL;

	for (int i = 0; i < count && !found; i++) {
		if (*wanted && strcmp(wanted, ibv_get_device_name(list[i])) != 0)
			continue;
		found = open_device(list[i]);
		if (!*wanted && !port_is_active(found, port)) {
			ibv_close_device(found);
			found = NULL;
		}
	}
	if (!found && *wanted)
		die("there is no RDMA device %s; ibv_devices lists what there is", wanted);
	if (!found)
		die("there is no RDMA device with an active port %u; `rdma link` shows them", port);
	ibv_free_device_list(list);
	return found;
}

/* The address of our end of the side channel, IPv4 as IPv6 writes it, which is how GIDs do too. */
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

static bool same_family(const struct in6_addr *address, const union ibv_gid *gid)
{
	const struct in6_addr *other = (const struct in6_addr *)gid->raw;

	return IN6_IS_ADDR_V4MAPPED(address) == IN6_IS_ADDR_V4MAPPED(other);
}

/* How well a GID suits: the address we talk from, else a RoCE v2 GID of its family that is not link-local, else any. */
static int suits(const struct ibv_gid_entry *gid, const struct in6_addr *address)
{
	const struct in6_addr *raw = (const struct in6_addr *)gid->gid.raw;

	if (gid->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 1;
	if (memcmp(raw, address, sizeof(*raw)) == 0)
		return 4;
	return same_family(address, &gid->gid) && !IN6_IS_ADDR_LINKLOCAL(raw) ? 3 : 2;
}

static struct ibv_gid_entry choose_gid(const struct verbs_path *p, uint64_t wanted, int side)
{
	static struct ibv_gid_entry entries[GIDS_MAX];
	const struct in6_addr address = own_address(side);
	ssize_t count = ibv_query_gid_table(p->context, entries, GIDS_MAX, 0);
	const struct ibv_gid_entry *best = NULL;

	for (ssize_t i = 0; i < count; i++) {
		if (entries[i].port_num != p->port_number)
			continue;
		if (wanted != AUTO && entries[i].gid_index == wanted)
			return entries[i];
		if (wanted == AUTO && (!best || suits(&entries[i], &address) > suits(best, &address)))
			best = &entries[i];
	}
	if (!best)
		die("%s port %u has no GID%s%s; give its network interface an address, or see `ibv_devinfo -v`",
		    ibv_get_device_name(p->context->device), p->port_number, wanted == AUTO ? "" : " of the index ",
		    wanted == AUTO ? "" : "that --gid-index names");
	return *best;
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

static void note(const struct verbs_path *p)
{
	static const char *const types[] = { "ib", "roce_v1", "roce_v2" };
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, p->gid.raw, text, sizeof(text));
	csv_note("chosen_device", "%s", ibv_get_device_name(p->context->device));
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

	p.context = find_device(v->device, p.port_number);
	if (ibv_query_device(p.context, &p.device) || ibv_query_port(p.context, p.port_number, &p.port))
		die("%s has no port %u", ibv_get_device_name(p.context->device), p.port_number);
	if (p.port.state != IBV_PORT_ACTIVE)
		die("%s port %u is %s; bring its link up", ibv_get_device_name(p.context->device), p.port_number,
		    ibv_port_state_str(p.port.state));
	gid = choose_gid(&p, v->gid_index, side);
	p.gid_index = gid.gid_index;
	p.gid_type = gid.gid_type;
	p.gid = gid.gid;
	p.mtu = choose_mtu(&p, v->mtu);
	if (o->role == CLIENT)
		note(&p);
	return p;
}
