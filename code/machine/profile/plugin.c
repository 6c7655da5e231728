/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second plugin, beside the pair's: it counts how often each instruction of the guest begins, in each copy of the
 * machine from its first instruction on, and writes that down when the copy ends: `-plugin FILE,into=PATH`.
 *
 * QEMU adds to the counts in the code that it makes anyway. The guest's own instructions stay as they are, and so does
 * its clock, which counts those alone.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "qemu.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static const char *path; /* each copy has a file of its own under it, as the pair's plugin has its mailbox */
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

static void translate(uint64_t id, struct block *block)
{
	(void)id;
	for (size_t n = 0; n < qemu_plugin_tb_n_insns(block); n++) {
		struct instruction *const i = qemu_plugin_tb_get_insn(block, n);

		qemu_plugin_register_vcpu_insn_exec_inline(i, ADD, pages_count(qemu_plugin_insn_vaddr(i), page_of(i)),
							   1);
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
