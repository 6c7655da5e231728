/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slots.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

void slots_size(struct slots *s, uint32_t count, uint32_t pieces, uint32_t inline_bytes, uint32_t address_bytes)
{
	const uint32_t list = pieces * (uint32_t)sizeof(struct card_piece),
		       body = list > inline_bytes ? list : inline_bytes;

	s->count = count ? power_of_two(count) : 0;
	s->pieces_most = pieces;
	s->bytes =
		((uint32_t)sizeof(struct card_wqe) + address_bytes + body + SLOTS_UNIT - 1) / SLOTS_UNIT * SLOTS_UNIT;
}

void slots_report(const char *reason, uint32_t number)
{
	static atomic_flag reported = ATOMIC_FLAG_INIT;
	char text[100];

	if (atomic_flag_test_and_set(&reported))
		return;
	snprintf(text, sizeof(text), reason, number);
	dprintf(STDERR_FILENO, "card: post refused: %s\n", text);
}

void slots_reset(struct slots *s)
{
	s->posted = 0;
	atomic_store(&s->freed, 0);
}
