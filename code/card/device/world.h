/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of a card: memory, clock and CPU of the guest, and the link. */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world {
	/* Access memory of the guest by its physical address; false, without effect, if there is none. */
	bool (*access)(struct world *, uint64_t at, void *buffer, size_t size, bool is_write);
	/* Call card_happen() at this time, and at none set before; INT64_MAX: never. The clock may advance in this
	 * call. */
	void (*arm)(struct world *, int64_t at_ns);
	/* Raise or lower the interrupt line: the kernel has something to read, or nothing more. */
	void (*interrupt)(struct world *, bool is_wanted);
	/* Send a packet to the card of a computer now, with this many bytes on the link; the time from which the link
	 * is free. A packet to a computer that does not exist is lost. */
	int64_t (*send)(struct world *, int64_t now_ns, uint32_t to, const uint8_t *bytes, size_t size,
			uint64_t line_bytes);
	/* A queue pair sends at this rate from now on, since its peer has reported congestion. */
	void (*slow_down)(struct world *, uint64_t bit_s);
	/* A message was early: its receiver had no receive for it. */
	void (*count_early)(struct world *);
	/* The time from which the link is free, whoever has used it. */
	int64_t (*line_free)(struct world *);
};

#endif
