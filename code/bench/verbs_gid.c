#include "verbs_gid.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "die.h"
#include "verbs_options.h"

struct table {
	struct ibv_gid_entry *entries;
	ssize_t count; /* or -errno */
};

/* IPv4 as IPv6 writes it, which is how GIDs do too. */
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

/* The kernel refuses a table that has no room for the GIDs of all ports. */
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

static struct table read_table(struct ibv_context *context)
{
	const size_t room = most_gids(context);
	struct table t = { .entries = calloc(room + 1, sizeof(*t.entries)) };

	if (!t.entries)
		die("no memory for %zu GIDs", room);
	t.count = ibv_query_gid_table(context, t.entries, room, 0);
	return t;
}

bool verbs_gid_is_on(struct ibv_context *context, uint8_t port, int side)
{
	const struct in6_addr address = own_address(side);
	const struct table t = read_table(context);
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

static const struct ibv_gid_entry *best_of(const struct table *t, uint8_t port, uint64_t wanted, int side)
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

struct ibv_gid_entry verbs_gid_choose(struct ibv_context *context, uint8_t port, uint64_t wanted, int side)
{
	const char *name = ibv_get_device_name(context->device);
	const struct table t = read_table(context);
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
