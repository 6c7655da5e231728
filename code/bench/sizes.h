/* Message sizes as people write them: "1..1M*2", "16M..2144M+16M", "64,4K@2000/200". */
#ifndef SIZES_H
#define SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIZES_MAX 4096

struct size_plan {
	uint64_t size_bytes;
	uint64_t iterations; /* timed messages */
	uint64_t warmup;     /* untimed messages before them */
};

struct size_list {
	size_t count;
	struct size_plan plans[SIZES_MAX];
};

/* "64", "4K", "1M", "2G" (powers of 1024). False for anything else, or above 2^63. */
bool size_parse(const char *text, uint64_t *bytes);

/* Fills the list; an item without "@iterations/warmup" gets the counts of fallback. On failure returns false and writes
 * a message that quotes the item. */
bool size_list_parse(const char *text, const struct size_plan *fallback, struct size_list *list, char error[256]);

uint64_t size_list_largest(const struct size_list *list);

#endif
