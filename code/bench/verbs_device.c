#include "verbs_device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "csv.h"
#include "die.h"
#include "verbs_gid.h"

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

/* By name, or, of those whose port is active, the first, or the first with the address that we talk from. */
static struct ibv_context *first_device(struct ibv_device **list, const char *wanted, uint8_t port, const int *side)
{
	struct ibv_context *context;
	bool suits;

	for (; *list; list++) {
		if (*wanted && strcmp(wanted, ibv_get_device_name(*list)) != 0)
			continue;
		context = open_device(*list);
		suits = *wanted || (port_is_active(context, port) && (!side || verbs_gid_is_on(context, port, *side)));
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

	if (list)
		found = first_device(list, wanted, port, &side);
	if (list && !found)
		found = first_device(list, wanted, port, NULL);
	if (!found && *wanted)
		die("there is no RDMA device %s; ibv_devices lists what there is", wanted);
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
	gid = verbs_gid_choose(p.context, p.port_number, v->gid_index, side);
	p.gid_index = gid.gid_index;
	p.gid_type = gid.gid_type;
	p.gid = gid.gid;
	p.mtu = choose_mtu(&p, v->mtu);
	if (o->role == CLIENT)
		note_path(&p);
	return p;
}
