/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's processor halts only while QEMU's main thread sleeps.
 *
 * When the processor halts, the main thread moves the clock on to the next timer. It takes the processor for halted a
 * moment before the last instructions are counted (QEMU 7.2: helper_hlt sets `halted`, icount_process_data counts
 * later). A main thread that happens to be awake in that moment computes the jump from an old count, and those
 * instructions come on top of it: a few ns too many, once in some 10,000 halts on a busy computer. Asleep, it is woken
 * only after the count.
 *
 * It need not even be woken: work that is given to the processor before it halts keeps it from counting as idle, and
 * runs in its own thread after the count. That work moves the clock on, by the function that the main thread calls. To
 * go to another thread and back took ten times as long as the rest of a halt.
 */
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "pair/plugin.h"

#define HLT 0xf4
#define NO_REGISTERS 0 /* what the callback may touch: QEMU_PLUGIN_CB_NO_REGS */

/* The part of QEMU's plugin interface, version 1, that is used here; Debian ships no header of it. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*call)(unsigned int cpu, void *data),
					    int registers, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

/* Work in the thread of the processor, and the jump of a clock that has nothing to do: include/hw/core/cpu.h,
 * sysemu/cpu-timers.h. */
struct processor;
struct processor *qemu_get_cpu(int number);
void async_run_on_cpu(struct processor *, void (*call)(struct processor *, uint64_t data), uint64_t data);
void icount_start_warp_timer(void);

static int main_thread; /* its file in /proc: "running", or the number of the system call that it sleeps in */

static void jump(struct processor *processor, uint64_t data)
{
	(void)processor, (void)data;
	icount_start_warp_timer();
}

void before_halt_jump(void)
{
	async_run_on_cpu(qemu_get_cpu(0), jump, 0);
}

static void await_sleep(unsigned int cpu, void *data)
{
	char state = 'r';

	(void)cpu, (void)data;
	while (pread(main_thread, &state, 1, 0) == 1 && state == 'r')
		sched_yield();
	before_halt_jump();
}

/* A halt ends its block, so that only the last instruction can be one. */
static void watch_halt(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);

	(void)id;
	if (qemu_plugin_insn_size(last) == 1 && *(const uint8_t *)qemu_plugin_insn_data(last) == HLT)
		qemu_plugin_register_vcpu_insn_exec_cb(last, await_sleep, NO_REGISTERS, NULL);
}

int before_halt_install(uint64_t id)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", getpid());
	main_thread = open(path, O_RDONLY | O_CLOEXEC);
	if (main_thread < 0) {
		perror(path);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, watch_halt);
	return 0;
}
