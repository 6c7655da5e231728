/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin: before_halt.c in every machine; with `end=`, that machine is one end of a pair too. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "log.h"
#include "netdev.h"
#include "options.h"
#include "plugin.h"
#include "qemu.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static struct options options;
static struct pair pair;
static struct plug plugs[WIRES];
static struct steps steps;

static void leave(int status, void *nothing)
{
	(void)nothing;
	pair.mine->instructions = (uint64_t)icount_get_raw();
	pair_leave(&pair, status);
}

/* A fault of this computer's, before anything runs. */
static void require(bool is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

static void lay_wires(void)
{
	const struct wire_model cable = { .latency_ns = (int64_t)options.latency_ns };
	const struct wire_model link = { .latency_ns = (int64_t)options.latency_ns,
					 .rate_bit_s = options.rate_bit_s,
					 .mtu_bytes = options.mtu_bytes,
					 .queue_bytes = options.queue_bytes,
					 .loss_ppm = options.loss_ppm };

	plugs[LINK].wire = wire_new(&link, options.seed, pair.end, &pair.mine->counts[LINK]);
	plugs[SIDE].wire = wire_new(&cable, 0, pair.end, &pair.mine->counts[SIDE]);
	plugs[LINK].is_checked = options.offload;
	plugs[SIDE].is_checked = true;
	if (options.log)
		require(log_open(&plugs[LINK].log, options.log, "link"), options.log);
}

static void join_other(void)
{
	require(pair_open(&pair, options.end[0] - '0', options.shared), options.shared);
	on_exit(leave, NULL);
	lay_wires();
	steps = (struct steps){ .pair = &pair,
				.machine = clock_machine(netdev_deliver),
				.latency_ns = (int64_t)options.latency_ns,
				.begin_ns = (int64_t)options.begin_ns };
	clock_start(&steps, options.trusted);
}

/* The first processor is there, and the cards are not yet. */
static void plug(uint64_t id, unsigned int cpu)
{
	(void)id, (void)cpu;
	if (options.shared)
		join_other();
	else
		clock_beat();
	netdev_plug(options.shared ? &steps : NULL, plugs);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (!options_read(&options, argc, argv))
		return -1;
	if (options.end)
		qemu_plugin_register_vcpu_init_cb(id, plug);
	return before_halt_install(id);
}
