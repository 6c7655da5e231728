/* The memory that messages leave from and land in: page-aligned, and touched before anything is timed. */
#ifndef BUFFER_H
#define BUFFER_H

#include "options.h"

struct buffer {
	unsigned char *bytes;
	uint64_t region_bytes;
	uint64_t regions; /* 1; for ping-pong 2: messages leave from the first and land in the last */
};

/* How many messages of a size are side by side: a page of them, since accesses to one cache line can't overlap as those
 * to several can; more with --verify. */
uint64_t buffer_slots(const struct options *options, uint64_t size_bytes);

struct buffer buffer_new(const struct options *options);
/* How far into its region a slot lies: the same on both ends. */
uint64_t buffer_offset(uint64_t size_bytes, uint64_t slot);

unsigned char *buffer_outgoing(const struct buffer *buffer, uint64_t size_bytes, uint64_t slot);
unsigned char *buffer_incoming(const struct buffer *buffer, uint64_t size_bytes, uint64_t slot);
void buffer_free(struct buffer *buffer);

#endif
