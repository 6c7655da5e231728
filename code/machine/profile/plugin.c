/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second plugin, besides that of the pair: it counts how often each instruction of the VM is executed, in each fork
 * of the VM from its first instruction on, and which of them were in polls that found nothing. It writes the counts
 * when the fork ends: `-plugin FILE,into=PATH`.
 *
 * It does not change the instructions of the VM, nor its clock, which counts only those.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "polls.h"
#include "qemu.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static const char *path; /* each fork has another file there, like the mailbox of the plugin of the pair */
static int64_t began;

static void begin(void)
{
	pages_clear();
	began = icount_get_raw();
}

static const uint8_t *page_of(const struct instruction *i)
{
	const uint8_t *const bytes = qemu_plugin_insn_haddr(i);

	return (int64_t)qemu_plugin_insn_vaddr(i) < 0 ? NULL : bytes - qemu_plugin_insn_vaddr(i) % PAGE_BYTES;
}

static void count_one(unsigned int cpu, void *count)
{
	(void)cpu;
	polls_count(count);
}

static void poll_begins(unsigned int cpu, void *count)
{
	(void)cpu;
	polls_begin();
	polls_count(count);
}

static void poll_was_in_vain(unsigned int cpu, void *count)
{
	(void)cpu;
	polls_count(count);
	polls_were_in_vain();
	polls_begin();
}

/* The marks of code/bench/polling.h. */
static void (*call_for(const struct instruction *i))(unsigned int, void *)
{
	static const uint8_t begins[] = { 0x0f, 0x1f, 0x84, 0x00, 'p', 'o', 'l', 'l' };
	static const uint8_t in_vain[] = { 0x0f, 0x1f, 0x84, 0x00, 'i', 'd', 'l', 'e' };

	if (qemu_plugin_insn_size(i) != sizeof(begins))
		return count_one;
	if (memcmp(qemu_plugin_insn_data(i), begins, sizeof(begins)) == 0)
		return poll_begins;
	return memcmp(qemu_plugin_insn_data(i), in_vain, sizeof(in_vain)) == 0 ? poll_was_in_vain : count_one;
}

/* Instructions of the kernel are never waiting. QEMU adds them up itself, which is faster. */
static void translate(uint64_t id, struct block *block)
{
	(void)id;
	for (size_t n = 0; n < qemu_plugin_tb_n_insns(block); n++) {
		struct instruction *const i = qemu_plugin_tb_get_insn(block, n);
		const uint8_t *const page = page_of(i);
		struct count *const count = pages_count(qemu_plugin_insn_vaddr(i), page);

		if (page)
			qemu_plugin_register_vcpu_insn_exec_cb(i, call_for(i), NO_REGISTERS, count);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(i, ADD, &count->begun, 1);
	}
}

static void finish(void)
{
	FILE *const file = began ? fopen(path, "we") : NULL;

	if (!file)
		return;
	fprintf(file, "instructions %" PRIi64 "\n", icount_get_raw() - began);
	pages_write(file);
	if (fclose(file))
		perror(path);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "into=", 5))
		return -1;
	path = strdup(argv[0] + 5);
	pthread_atfork(NULL, NULL, begin);
	atexit(finish);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
