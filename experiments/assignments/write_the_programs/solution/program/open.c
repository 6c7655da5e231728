/* Step 1: from a device's name to a context, a protection domain, and the address that the other end will need. */
#include "course.h"

#include <string.h>

static struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	check(list, "ibv_get_device_list");
	for (int i = 0; list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	check(context, "ibv_open_device");
	ibv_free_device_list(list);
	return context;
}

void open_device(struct side *s)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	s->context = open_named(s->device);
	s->pd = ibv_alloc_pd(s->context);
	check(s->pd, "ibv_alloc_pd");
	for (s->gid_index = 0;; s->gid_index++) {
		check(!ibv_query_gid(s->context, 1, s->gid_index, &s->gid), "no GID of IPv4");
		if (!memcmp(s->gid.raw, mapped, sizeof(mapped)))
			return;
	}
}
