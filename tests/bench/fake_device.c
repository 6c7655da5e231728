/* Devices, ports, GIDs, and what else is looked up or only handed on. */
#include "fake_verbs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

#define PATIENCE 1000 /* fruitless looks by either end before both are said to wait for each other */

#undef ibv_get_device_list
#undef ibv_query_port

struct fake_verbs fake_verbs;

struct opened {
	struct ibv_device device;
	struct verbs_context verbs;
	const struct fake_device *is;
};

static unsigned int fruitless;

void fake_fault(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", die_program());
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_Exit(1);
}

void fake_advance(void)
{
	fruitless = 0;
}

void fake_wait(void)
{
	if (++fruitless > PATIENCE)
		fake_fault("both ends wait for ever");
	if (fake_verbs.idle)
		fake_verbs.idle();
}

struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list = calloc((size_t)fake_verbs.device_count + 1, sizeof(*list));

	if (count)
		*count = fake_verbs.device_count;
	for (int i = 0; i < fake_verbs.device_count; i++) {
		list[i] = calloc(1, sizeof(**list));
		snprintf(list[i]->name, sizeof(list[i]->name), "%s", fake_verbs.devices[i].name);
	}
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	for (struct ibv_device **device = list; *device; device++)
		free(*device);
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

static struct opened *opened(struct ibv_context *context)
{
	return (struct opened *)(void *)((char *)context - offsetof(struct opened, verbs.context));
}

const struct fake_device *fake_device_of(struct ibv_context *context)
{
	return opened(context)->is;
}

/* The older call, which nobody makes: contexts have the newer one. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)context;
	(void)port;
	(void)attr;
	return EOPNOTSUPP;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	if (port != 1)
		return EINVAL;
	memcpy(attr, &fake_device_of(context)->port, size);
	return 0;
}

static struct ibv_qp *refuse_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	(void)context;
	(void)attr;
	return NULL;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct opened *o = calloc(1, sizeof(*o));

	o->device = *device; /* the list may be freed before the device is closed */
	for (int i = 0; i < fake_verbs.device_count; i++)
		if (strcmp(device->name, fake_verbs.devices[i].name) == 0)
			o->is = &fake_verbs.devices[i];
	o->verbs.sz = sizeof(o->verbs);
	o->verbs.query_port = query_port;
	o->verbs.create_qp_ex = o->is->refuses_silently ? refuse_qp_ex : o->is->newer_calls ? fake_create_qp_ex : NULL;
	o->verbs.context = (struct ibv_context){ .device = &o->device,
						 .ops = fake_operations,
						 .abi_compat = __VERBS_ABI_IS_EXTENDED };
	return &o->verbs.context;
}

int ibv_close_device(struct ibv_context *context)
{
	free(opened(context));
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	*attr = (struct ibv_device_attr){ .vendor_id = fake_device_of(context)->vendor_id,
					  .phys_port_cnt = 1,
					  .max_qp_wr = 1 << 20,
					  .max_qp_rd_atom = 16,
					  .max_qp_init_rd_atom = 16 };
	return 0;
}

/* As the kernel does it: a table that is too small for all is refused. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room, uint32_t flags,
			     size_t entry_size)
{
	const struct fake_device *device = fake_device_of(context);

	(void)flags;
	if (device->gid_count > room)
		return -EINVAL;
	if (device->gid_count > 0)
		memcpy(entries, device->gids, device->gid_count * entry_size);
	return (ssize_t)device->gid_count;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

const char *ibv_port_state_str(enum ibv_port_state state)
{
	return state == IBV_PORT_ACTIVE ? "active" : "down";
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return status == IBV_WC_SUCCESS ? "success" : "failure";
}
