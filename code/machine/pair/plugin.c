/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin: turns in each machine; with `end=`, the machine is also one end of a pair. */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "copies.h"
#include "log.h"
#include "netdev.h"
#include "options.h"
#include "qemu.h"
#include "rdma.h"
#include "translations.h"
#include "turns.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static struct options options;
static struct pair pair;
static struct plug plugs[WIRES];
static struct steps steps;

static void plugin_leave(int status, void *nothing)
{
	(void)nothing;
	pair.mine->made = translations_tell();
	pair.mine->instructions = (uint64_t)icount_get_raw();
	if (!log_close(plugs[LINK].log))
		pair_fail(&pair, "the log of the link cannot be written whole");
	pair_leave(&pair, status);
}

/* An error of the host, before anything runs. */
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
	pair = (struct pair){ .end = -1 };
	require(pair_open(&pair, options.end[0] - '0', options.shared), options.shared);
	lay_wires();
	steps = (struct steps){ .pair = &pair,
				.machine = clock_machine(netdev_deliver),
				.latency_ns = (int64_t)options.latency_ns,
				.begin_ns = (int64_t)options.begin_ns };
}

static char *path_of(int file)
{
	char *path;

	return file >= 0 && asprintf(&path, "/proc/self/fd/%d", file) > 0 ? path : NULL;
}

/* The card uses more of QEMU than the rest, so it needs the known version. */
static rdma_plug_call *open_card(const char *path)
{
	void *const object = options.trusted ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!object)
		fprintf(stderr, "pair: no card: %s\n", options.trusted ? dlerror() : "this QEMU is not the known one");
	return object ? (rdma_plug_call *)dlsym(object, "rdma_plug") : NULL;
}

/* The fields of the shared memory start as zeros. */
static void slow_down(uint64_t bit_s)
{
	struct end *const mine = pair.mine;

	if (!mine->notified++ || bit_s < mine->lowest_bit_s)
		mine->lowest_bit_s = bit_s;
}

static void count_early(void)
{
	pair.mine->early++;
}

static void plug_card(const char *path)
{
	static struct rdma_link link = { .send = netdev_send_rdma,
					 .slow_down = slow_down,
					 .count_early = count_early,
					 .free_ns = netdev_link_free };
	rdma_plug_call *const plug_in = open_card(path);
	const struct rdma_card *card;

	link.rate_bit_s = options.rate_bit_s;
	card = plug_in ? plug_in(&link, options.card_words) : NULL;
	if (!card)
		exit(EXIT_FAILURE);
	netdev_plug_rdma(options.computer ? options.computer : 1 + (uint64_t)pair.end, card);
}

/* Both ends take turns, which is fastest on one CPU. If pinning is not allowed they use several. */
static void keep_to_processor(uint64_t number)
{
	cpu_set_t only;

	if (!number)
		return;
	CPU_ZERO(&only);
	CPU_SET(number - 1, &only);
	sched_setaffinity(0, sizeof(only), &only);
}

/* Continue in a fork of this machine: its pair is with a fork of the other machine, and it has its own files. */
static void plugin_resume(struct order *order)
{
	turns_alone();
	copies_forget_original();
	dup2(order->files[ERRORS], STDERR_FILENO);
	copies_replace((int)options.mailbox, order->files[MAILBOX]);
	copies_replace((int)options.console, order->files[CONSOLE]);
	if (!options_change(&options, order->words))
		exit(EXIT_FAILURE);
	options.shared = path_of(order->files[SHARED]);
	options.log = options.card == LOG ? NULL : path_of(order->files[LOG]);
	keep_to_processor(options.processor);
	join_other();
	if (options.card > 0 && options.card < MOST_FILES)
		plug_card(path_of(order->files[options.card]));
	translations_begin();
	clock_go_on(&steps);
}

/* Both ends are at rest. */
static void plugin_hold(void)
{
	static struct order order;

	pair_finish(&pair);
	if (!pair_await_finish(&pair, steps.taken))
		pair_fail(&pair, "something was in flight when both machines were to be stopped");
	copies_allow_memory();
	rcu_enable_atfork();
	if (options.trusted)
		translations_share();
	copies_serve((int)options.calls, &order, translations_take_over);
	plugin_resume(&order);
}

static void plugin_start(void)
{
	join_other();
	on_exit(plugin_leave, NULL);
	clock_start(&steps, options.trusted);
	if (options.hold_ns)
		clock_call((int64_t)options.hold_ns, plugin_hold);
}

/* The first CPU exists, and the cards do not yet. */
static void plug(uint64_t id, unsigned int cpu)
{
	(void)id, (void)cpu;
	if (options.shared)
		plugin_start();
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
	turns_take(options.shared);
	return 0;
}
