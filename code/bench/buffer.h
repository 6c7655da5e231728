/* The memory that messages are sent from and received into: page-aligned, and touched before anything is timed. */
#ifndef BUFFER_H
#define BUFFER_H

#include "options.h"

struct buffer {
	unsigned char *bytes;
	uint64_t region_bytes;
	uint64_t
		regions; /* 1, or 2 for messages in both directions: they leave from the first and arrive in the last */
};

/* How many messages of a size are side by side: a page of them, since accesses to a single cache line cannot overlap;
 * more with --verify. */
uint64_t buffer_slots(const struct options *options, uint64_t size_bytes);

struct buffer buffer_new(const struct options *options);
/* The offset of a slot in its region, the same on both ends. */
uint64_t buffer_offset(uint64_t size_bytes, uint64_t slot);

unsigned char *buffer_outgoing(const struct buffer *buffer, uint64_t size_bytes, uint64_t slot);
unsigned char *buffer_incoming(const struct buffer *buffer, uint64_t size_bytes, uint64_t slot);
void buffer_free(struct buffer *buffer);

#endif
