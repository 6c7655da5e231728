/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is around a card: the guest's memory, its clock, its processor, and the wire. */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world {
	/* The guest's memory by physical address; false, and nothing happens, where there is none. */
	bool (*access)(struct world *, uint64_t at, void *buffer, size_t size, bool is_write);
	/* card_happen() is to be called at this time, and at no other asked for before; INT64_MAX: at none. The clock
	 * may move on in this call. */
	void (*arm)(struct world *, int64_t at_ns);
	/* The kernel has something to read, or nothing more: the interrupt's line. */
	void (*interrupt)(struct world *, bool is_wanted);
	/* Send a packet to the other computer's card now, of so many bytes on the line; from when on the line is free.
	 */
	int64_t (*send)(struct world *, int64_t now_ns, const uint8_t *bytes, size_t size, uint64_t line_bytes);
	/* From when on the line is free of what others have sent too. */
	int64_t (*line_free)(struct world *);
};

#endif
