/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "log.h"

/* The numbers of pcapng: draft-ietf-opsawg-pcapng, sections 4.1 to 4.3 and 3.5. */
enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, FRAME = 6 };
enum { ORDER = 0x1a2b3c4d, ETHERNET = 1 };
enum { END_OF_OPTIONS = 0, COMMENT = 1, IF_NAME = 2, FRAME_FLAGS = 2, IF_RESOLUTION = 9 };
enum { NANOSECONDS = 9, BLOCK_BYTES = 256 };

/* A block that is being written; its parts have multiples of four bytes. */
struct block {
	uint8_t bytes[BLOCK_BYTES];
	uint32_t size;
};

static void add(struct block *b, const void *bytes, size_t size)
{
	memcpy(b->bytes + b->size, bytes, size);
	b->size += (uint32_t)(size + 3) / 4 * 4;
}

static void add_number(struct block *b, uint32_t value)
{
	add(b, &value, sizeof(value));
}

static void add_option(struct block *b, uint16_t code, const void *value, size_t size)
{
	add_number(b, code | (uint32_t)size << 16);
	add(b, value, size);
}

static struct block block_begin(uint32_t kind)
{
	struct block b = { .size = 0 };

	add_number(&b, kind);
	add_number(&b, 0); /* its size, which block_end() fills in */
	return b;
}

static void block_end(struct block *b, FILE *log)
{
	const uint32_t size = b->size + 4;

	memcpy(b->bytes + 4, &size, sizeof(size));
	add_number(b, size);
	fwrite(b->bytes, 1, b->size, log);
}

static void write_section(FILE *log)
{
	struct block b = block_begin(SECTION);

	add_number(&b, ORDER);
	add_number(&b, 1);            /* version 1.0 */
	add(&b, &(int64_t){ -1 }, 8); /* of unknown length */
	block_end(&b, log);
}

static void write_interface(FILE *log, const char *wire)
{
	struct block b = block_begin(INTERFACE);

	add_number(&b, ETHERNET);
	add_number(&b, LOG_BYTES);
	add_option(&b, IF_NAME, wire, strlen(wire));
	add_option(&b, IF_RESOLUTION, &(uint8_t){ NANOSECONDS }, 1);
	add_option(&b, END_OF_OPTIONS, "", 0);
	block_end(&b, log);
}

bool log_open(FILE **log, const char *path, const char *wire)
{
	*log = fopen(path, "we");
	if (!*log)
		return false;
	write_section(*log);
	write_interface(*log, wire);
	return true;
}

void log_frame(FILE *log, int64_t now, enum direction direction, const uint8_t *bytes, size_t size, const char *fate)
{
	const size_t kept = size < LOG_BYTES ? size : LOG_BYTES;
	struct block b = block_begin(FRAME);

	add_number(&b, 0); /* the interface */
	add_number(&b, (uint32_t)((uint64_t)now >> 32));
	add_number(&b, (uint32_t)now);
	add_number(&b, (uint32_t)kept);
	add_number(&b, (uint32_t)size);
	add(&b, bytes, kept);
	add_option(&b, FRAME_FLAGS, &(uint32_t){ direction }, 4);
	if (fate)
		add_option(&b, COMMENT, fate, strlen(fate));
	add_option(&b, END_OF_OPTIONS, "", 0);
	block_end(&b, log);
}

bool log_close(FILE *log)
{
	const bool failed = log && ferror(log);

	return !log || (fclose(log) == 0 && !failed);
}
