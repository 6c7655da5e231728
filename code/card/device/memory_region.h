/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the card uses of QEMU 7.2 besides clock and timers: include/exec/memory.h, cpu-common.h, hw/isa/isa.h,
 * hw/irq.h. */
#ifndef MEMORY_REGION_H
#define MEMORY_REGION_H

#include <stdbool.h>
#include <stdint.h>

enum { LITTLE_ENDIAN_DEVICE = 2, REGION_BYTES = 4096 }; /* more than a region has */

struct region_operations {
	uint64_t (*read)(void *, uint64_t at, unsigned int size);
	void (*write)(void *, uint64_t at, uint64_t value, unsigned int size);
	void *read_with_attributes, *write_with_attributes;
	int endianness;
	struct {
		unsigned int least, most;
		bool unaligned;
		void *accepts;
	} valid;
	struct {
		unsigned int least, most;
		bool unaligned;
	} impl;
};

void memory_region_init_io(void *region, void *owner, const struct region_operations *, void *opaque, const char *name,
			   uint64_t size);
void *get_system_memory(void);
void memory_region_add_subregion(void *to, uint64_t at, void *region);
void cpu_physical_memory_rw(uint64_t at, void *buffer, uint64_t size, bool is_write);
bool cpu_physical_memory_is_io(uint64_t at);
void *isa_get_irq(void *device, unsigned int number);
void qemu_set_irq(void *irq, int level);

#endif
