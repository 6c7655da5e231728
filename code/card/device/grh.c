/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "grh.h"
#include "verbs.h"

enum { UDP = 17, HOPS = 64, V4_BYTES = 20, ROCE_BYTES = 8 + 12 + 8 + 4 }; /* UDP, BTH, DETH, ICRC */

static const __u8 v4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static void write_16(__u8 *to, uint32_t value)
{
	to[0] = (__u8)(value >> 8);
	to[1] = (__u8)value;
}

static void write_v4(const struct card_address *a, uint32_t bytes, __u8 *to)
{
	uint32_t sum = 0;

	to[0] = 0x45;
	write_16(to + 2, V4_BYTES + ROCE_BYTES + bytes);
	to[8] = HOPS;
	to[9] = UDP;
	memcpy(to + 12, a->from + 12, 4);
	memcpy(to + 16, a->to + 12, 4);
	for (int i = 0; i < V4_BYTES; i += 2)
		sum += (uint32_t)to[i] << 8 | to[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	write_16(to + 10, ~((sum & 0xffff) + (sum >> 16)));
}

void grh_write(const struct card_address *a, uint32_t bytes, __u8 *to)
{
	memset(to, 0, GRH_BYTES);
	if (memcmp(a->to, v4_prefix, sizeof(v4_prefix)) == 0) {
		write_v4(a, bytes, to + GRH_BYTES - V4_BYTES);
		return;
	}
	to[0] = 0x60;
	write_16(to + 4, ROCE_BYTES + bytes);
	to[6] = UDP;
	to[7] = HOPS;
	memcpy(to + 8, a->from, sizeof(a->from));
	memcpy(to + 24, a->to, sizeof(a->to));
}
