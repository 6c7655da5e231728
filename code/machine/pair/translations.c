/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdatomic.h>
#include <sys/mman.h>

#include "qemu.h"
#include "translations.h"

enum { MOST = 1 << 18, PAGE = 4096 };

/* What a translation follows from. */
struct told {
	uint64_t pc, cs_base, place; /* the first byte in virtual and in physical memory */
	uint32_t flags, how, sum;
	_Atomic uint16_t bytes; /* 0 until the rest is written */
};

static struct shared {
	atomic_uint count; /* of all; the oldest ones give way */
	struct told each[MOST];
} *shared;

static unsigned int taken_over;      /* of what is shared */
static size_t inherited, seen, made; /* in a fork */

void translations_share(void)
{
	const int kind = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
	void *const memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, kind, -1, 0);

	shared = memory == MAP_FAILED ? NULL : memory;
}

/* FNV-1a */
static uint32_t sum_of(uint64_t place, uint16_t bytes)
{
	const uint8_t *const code = qemu_map_ram_ptr(NULL, place);
	uint32_t sum = 2166136261u;

	for (uint16_t b = 0; b < bytes; b++)
		sum = (sum ^ code[b]) * 16777619u;
	return sum;
}

void translations_begin(void)
{
	inherited = tcg_nb_tbs();
}

/* Those that end after a number of instructions, where a timer was due, are rarely needed again, but for those of one
 * instruction, which talks to a device. */
static bool is_lasting(const struct translation *t)
{
	return !(t->how & NO_LONGER_VALID) && (t->how & INSTRUCTIONS) <= 1 && t->places[1] == UINT64_MAX &&
	       t->places[0] < MEMORY_BYTES;
}

/* The translations come in the order in which they were made. */
static int tell(void *key, void *value, void *nothing)
{
	const struct translation *const t = value;
	struct told *told;

	(void)key, (void)nothing;
	if (seen++ < inherited)
		return 0;
	made++;
	if (!is_lasting(t))
		return 0;
	told = &shared->each[atomic_fetch_add(&shared->count, 1) % MOST];
	atomic_store(&told->bytes, 0);
	told->pc = t->pc;
	told->cs_base = t->cs_base;
	told->place = t->places[0];
	told->flags = t->flags;
	told->how = t->how;
	told->sum = sum_of(t->places[0], t->bytes);
	atomic_store(&told->bytes, t->bytes);
	return 0;
}

uint64_t translations_tell(void)
{
	if (shared)
		tcg_tb_foreach(tell, NULL);
	return made;
}

/* The CPU finds the code by its look-aside buffers, as if it ran there; the page tables are not read. */
static void translate(struct processor *cpu, struct told *t)
{
	const uint16_t bytes = atomic_exchange(&t->bytes, 0);

	if (!bytes || sum_of(t->place, bytes) != t->sum)
		return;
	for (int mode = 0; mode < MODES; mode++)
		tlb_set_page(cpu, t->pc & -PAGE, t->place & -PAGE, READ | EXECUTE, mode, PAGE);
	tb_gen_code(cpu, t->pc, t->cs_base, t->flags, (int)t->how);
}

/* QEMU would leave by a jump if it had no room for a translation. Code that is not there before a fork, as that of a
 * trial's own programs, is told each time and never taken over. */
void translations_take_over(void)
{
	struct processor *const cpu = qemu_get_cpu(0);
	unsigned int count;

	if (!shared)
		return;
	count = atomic_load(&shared->count);
	for (; taken_over != count && tcg_code_size() < tcg_code_capacity() / 4; taken_over++)
		translate(cpu, &shared->each[taken_over % MOST]);
	tlb_flush(cpu);
}
