/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin: before_halt.c in every machine; with `end=`, that machine is one end of a pair too. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "netdev.h"
#include "options.h"
#include "plugin.h"
#include "qemu.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static struct options options;
static struct pair pair;
static struct wire wires[WIRES];
static struct steps steps;

static void leave(int status, void *nothing)
{
	(void)nothing;
	pair_leave(&pair, status);
}

static void join_other(void)
{
	const int end = options.end[0] - '0';
	const struct wire_model cable = { .latency_ns = (int64_t)options.latency_ns };
	struct wire_model link = cable;

	if (!pair_open(&pair, end, options.shared)) {
		perror(options.shared);
		exit(EXIT_FAILURE);
	}
	on_exit(leave, NULL);
	link.rate_bit_s = options.rate_bit_s;
	link.mtu_bytes = options.mtu_bytes;
	link.queue_bytes = options.queue_bytes;
	link.loss_ppm = options.loss_ppm;
	wires[LINK] = wire_new(&link, options.seed, end, &pair.mine->counts[LINK]);
	wires[SIDE] = wire_new(&cable, 0, end, &pair.mine->counts[SIDE]);
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
	netdev_plug(options.shared ? &steps : NULL, wires);
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
