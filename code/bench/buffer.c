#include "buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "die.h"
#include "least.h"

#define SLOTS_MAX 64
#define SLOTS_BYTES (32u << 20) /* bytes moved by a round of --verify, or by one message, at most */
#define STRIDE 64               /* a cache line: neighbouring messages share none, as with INC() of perftest */
#define PAGE 4096

static uint64_t stride(uint64_t size_bytes)
{
	return (size_bytes + STRIDE - 1) / STRIDE * STRIDE;
}

uint64_t buffer_slots(const struct options *o, uint64_t size_bytes)
{
	const uint64_t slots = (o->verify ? SLOTS_BYTES : PAGE) / stride(size_bytes);

	return slots > 0 ? least(slots, SLOTS_MAX) : 1;
}

struct buffer buffer_new(const struct options *o)
{
	struct buffer b = { .regions = o->measure == LATENCY || o->both ? 2 : 1 };
	uint64_t need;

	for (size_t i = 0; i < o->sizes.count; i++) {
		need = buffer_slots(o, o->sizes.plans[i].size_bytes) * stride(o->sizes.plans[i].size_bytes);
		if (need > b.region_bytes)
			b.region_bytes = need;
	}
	/* One page more: from any slot within a page there is room for the largest message. */
	b.region_bytes = (b.region_bytes + PAGE - 1) / PAGE * PAGE + PAGE;
	b.bytes = mmap(NULL, b.regions * b.region_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (b.bytes == MAP_FAILED)
		die("no memory for a buffer of %" PRIu64 " bytes: %s; leave out the largest sizes",
		    b.regions * b.region_bytes, strerror(errno));
	return b;
}

uint64_t buffer_offset(uint64_t size_bytes, uint64_t slot)
{
	return slot * stride(size_bytes);
}

unsigned char *buffer_outgoing(const struct buffer *b, uint64_t size_bytes, uint64_t slot)
{
	return b->bytes + buffer_offset(size_bytes, slot);
}

unsigned char *buffer_incoming(const struct buffer *b, uint64_t size_bytes, uint64_t slot)
{
	return b->bytes + (b->regions - 1) * b->region_bytes + buffer_offset(size_bytes, slot);
}

void buffer_free(struct buffer *b)
{
	munmap(b->bytes, b->regions * b->region_bytes);
}
