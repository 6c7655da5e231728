/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is used of QEMU 7.2: its plugin interface (include/qemu/qemu-plugin.h), for which Debian has no header. */
#ifndef QEMU_H
#define QEMU_H

#include <stddef.h>
#include <stdint.h>

struct block; /* instructions that QEMU has translated together */
struct instruction;
enum { ADD = 0 };          /* QEMU_PLUGIN_INLINE_ADD_U64 */
enum { NO_REGISTERS = 0 }; /* QEMU_PLUGIN_CB_NO_REGS */

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, struct block *));
size_t qemu_plugin_tb_n_insns(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t number);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
void *qemu_plugin_insn_haddr(const struct instruction *);      /* its address in the memory of QEMU */
const void *qemu_plugin_insn_data(const struct instruction *); /* its bytes, which may span pages */
size_t qemu_plugin_insn_size(const struct instruction *);

/* Call a function whenever the instruction is executed. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, void (*call)(unsigned int cpu, void *), int registers,
					    void *argument);

/* Add to a number whenever the instruction is executed. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct instruction *, int operation, void *number, uint64_t summand);

/* The instructions of the guest since it was booted: include/sysemu/cpu-timers.h. */
int64_t icount_get_raw(void);

#endif
