/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card in QEMU 7.2: pages of registers in a hole of the memory map of q35, one timer of the clock of the guest, one
 * interrupt. It calls functions of QEMU that the program of Debian exports for modules. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../machine/pair/rdma.h"
#include "../../machine/pair/qemu.h"
#include "card.h"
#include "memory_region.h"

_Static_assert(RDMA_FLAGS == offsetof(struct packet, flags) && RDMA_MARKED == (int)MARKED, "the switch sets it");

static struct plugged {
	struct world world;
	const struct rdma_link *link;
	struct card card;
	struct timer *timer;
	int64_t armed_ns;
} plugged;

static int64_t now_ns(void)
{
	return qemu_clock_get_ns(CLOCK_VIRTUAL);
}

/* Accesses memory only: not the registers of a device, and least of all those of this card. */
static bool access_memory(struct world *w, uint64_t at, void *buffer, size_t size, bool is_write)
{
	(void)w;
	if (cpu_physical_memory_is_io(at) || cpu_physical_memory_is_io(at + size - 1))
		return false;
	cpu_physical_memory_rw(at, buffer, size, is_write);
	return true;
}

static void arm(struct world *w, int64_t at)
{
	(void)w;
	if (at == plugged.armed_ns)
		return;
	plugged.armed_ns = at;
	if (at == INT64_MAX)
		timer_del(plugged.timer);
	else
		timer_mod_ns(plugged.timer, at);
}

static void interrupt(struct world *w, bool is_wanted)
{
	(void)w;
	qemu_set_irq(isa_get_irq(NULL, CARD_IRQ), is_wanted);
}

static int64_t plug_send(struct world *w, int64_t now, uint32_t to, const uint8_t *bytes, size_t size,
			 uint64_t line_bytes)
{
	(void)w;
	return plugged.link->send(now, to, bytes, size, line_bytes);
}

static int64_t line_free(struct world *w)
{
	(void)w;
	return plugged.link->free_ns();
}

static void slow_down(struct world *w, uint64_t bit_s)
{
	(void)w;
	plugged.link->slow_down(bit_s);
}

static void count_early(struct world *w)
{
	(void)w;
	plugged.link->count_early();
}

static uint64_t read_register(void *nothing, uint64_t at, unsigned int size)
{
	(void)nothing, (void)size;
	return card_read(&plugged.card, at);
}

static void write_register(void *nothing, uint64_t at, uint64_t value, unsigned int size)
{
	(void)nothing, (void)size;
	card_write(&plugged.card, now_ns(), at, value);
}

static void plug_happen(void *nothing)
{
	(void)nothing;
	plugged.armed_ns = INT64_MIN;
	card_happen(&plugged.card, now_ns());
}

static void deliver(int64_t now, uint32_t from, const uint8_t *bytes, size_t size)
{
	card_deliver(&plugged.card, now, from, bytes, size);
}

static void pause_card(int64_t now, bool is_paused)
{
	card_pause(&plugged.card, now, is_paused);
}

static void map_registers(void)
{
	static const struct region_operations operations = { .read = read_register,
							     .write = write_register,
							     .endianness = LITTLE_ENDIAN_DEVICE,
							     .valid = { .least = 8, .most = 8 },
							     .impl = { .least = 8, .most = 8 } };
	void *const region = calloc(1, REGION_BYTES);

	memory_region_init_io(region, NULL, &operations, NULL, "labcard", CARD_BYTES);
	memory_region_add_subregion(get_system_memory(), CARD_BASE, region);
}

static bool set(struct costs *costs, char *word)
{
	char *const equals = strchr(word, '='), *end = equals;
	const uint64_t value = equals ? strtoull(equals + 1, &end, 10) : 0;

	if (!equals || end == equals + 1 || *end)
		return false;
	*equals = 0;
	return costs_set(costs, word + strlen("card_"), value);
}

static bool read_words(struct costs *costs, const char *words)
{
	char *rest = strdup(words), *word;

	while ((word = strsep(&rest, ",")))
		if (*word && !set(costs, word)) {
			fprintf(stderr, "card: unknown cost: %s\n", word);
			return false;
		}
	return true;
}

__attribute__((visibility("default"))) rdma_plug_call rdma_plug;

const struct rdma_card *rdma_plug(const struct rdma_link *link, const char *words)
{
	static const struct rdma_card card = { deliver, pause_card };
	struct costs costs = { .rate_bit_s = link->rate_bit_s };

	if (!read_words(&costs, words))
		return NULL;
	plugged.link = link;
	plugged.world = (struct world){ access_memory, arm, interrupt, plug_send, slow_down, count_early, line_free };
	plugged.armed_ns = INT64_MAX;
	plugged.timer = calloc(1, TIMER_BYTES);
	timer_init_full(plugged.timer, NULL, CLOCK_VIRTUAL, NS, 0, plug_happen, NULL);
	card_start(&plugged.card, &costs, &plugged.world);
	map_registers();
	return &card;
}
