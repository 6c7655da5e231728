/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code/machine/pair/qemu.h for QEMU 10 (plugin interface 4) and 11 (7), in its place: other names for the big lock's
 * pointer and the list of timers, another table of what a network's far end can do, and a processor that calls only
 * once the cards are there.
 */
#define qemu_bql_mutex_lock_func bql_mutex_lock_func
#define qemu_clock_get_main_loop_timerlist timers_of_7_2
#define qemu_new_net_client client_of_7_2
#define qemu_plugin_register_vcpu_init_cb when_there_is_a_processor_of_7_2
#define qemu_plugin_version version_of_7_2
#include "qemu.h"
#undef qemu_clock_get_main_loop_timerlist
#undef qemu_new_net_client
#undef qemu_plugin_register_vcpu_init_cb

static inline void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*call)(uint64_t id, unsigned int cpu))
{
	call(id, 0);
}

extern struct timer_list *main_loop_tlg[];

static inline struct timer_list *qemu_clock_get_main_loop_timerlist(int clock)
{
	return main_loop_tlg[clock];
}

struct newer_info {
	int type;
	size_t size;
	ssize_t (*receive)(struct net_client *, const uint8_t *bytes, size_t size);
	void *receive_iov, *can_receive, *start, *load, *stop, *cleanup, *link_status_changed;
	void *query_rx_filter, *poll, *has_ufo, *has_uso;
#if API >= 7
	void *has_tunnel;
#endif
	bool (*has_vnet_hdr)(struct net_client *);
	bool (*has_vnet_hdr_len)(struct net_client *, int size);
	void *set_offload;
	void (*set_vnet_hdr_len)(struct net_client *, int size);
	void *more[16];
};
struct net_client *qemu_new_net_client(struct newer_info *, void *peer, const char *model, const char *name);

static void (*set_offload_of_7_2)(struct net_client *, int checksum, int tso4, int tso6, int ecn, int ufo);

static inline void set_offload_by_table(struct net_client *client, const bool *offloads)
{
	set_offload_of_7_2(client, offloads[0], false, false, false, false);
}

static inline struct net_client *newer_client(const struct net_client_info *old, void *peer, const char *model,
					      const char *name)
{
	static struct newer_info info;

	set_offload_of_7_2 = old->set_offload;
	info = (struct newer_info){ .type = old->type,
				    .size = old->size,
				    .receive = old->receive,
				    .has_vnet_hdr = old->has_vnet_hdr,
				    .has_vnet_hdr_len = old->has_vnet_hdr_len,
				    .set_offload = API >= 7 ? (void *)set_offload_by_table : (void *)old->set_offload,
				    .set_vnet_hdr_len = old->set_vnet_hdr_len };
	return qemu_new_net_client(&info, peer, model, name);
}
#define qemu_new_net_client newer_client
