/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>

#include "ring.h"

struct ring ring_map(int file, off_t at)
{
	uint8_t *memory = mmap(NULL, 2 * RING_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (int half = 0; half < 2 && memory != MAP_FAILED; half++)
		if (mmap(memory + half * RING_BYTES, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
			 at) == MAP_FAILED)
			return (struct ring){ NULL };
	return (struct ring){ memory == MAP_FAILED ? NULL : memory };
}

struct frame *ring_at(const struct ring *ring, uint64_t position)
{
	return (struct frame *)(ring->memory + position % RING_BYTES);
}

uint64_t ring_after(uint64_t position, size_t size)
{
	const uint64_t align = _Alignof(struct frame);

	return position + (sizeof(struct frame) + size + align - 1) / align * align;
}

bool ring_has_room(uint64_t sent, uint64_t taken, size_t size)
{
	return ring_after(sent, size) - taken <= RING_BYTES;
}
