#include "sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number_parse(const char **cursor, uint64_t *value)
{
	uint64_t sum = 0;

	if (!isdigit((unsigned char)**cursor))
		return false;
	for (; isdigit((unsigned char)**cursor); (*cursor)++) {
		if (sum > ((uint64_t)INT64_MAX - 9) / 10)
			return false;
		sum = sum * 10 + (uint64_t)(**cursor - '0');
	}
	*value = sum;
	return true;
}

static bool bytes_parse(const char **cursor, uint64_t *bytes)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	unsigned int shift;

	if (!number_parse(cursor, bytes))
		return false;
	if (!**cursor || !(suffix = strchr(suffixes, toupper((unsigned char)**cursor))))
		return true;
	(*cursor)++;
	shift = 10 * (unsigned int)(suffix - suffixes + 1);
	if (*bytes > (uint64_t)INT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

bool size_parse(const char *text, uint64_t *bytes)
{
	return bytes_parse(&text, bytes) && *text == '\0';
}

static bool counts_parse(const char **cursor, struct size_plan *plan)
{
	if (**cursor == '@') {
		(*cursor)++;
		if (!number_parse(cursor, &plan->iterations) || plan->iterations == 0)
			return false;
		if (**cursor == '/') {
			(*cursor)++;
			if (!number_parse(cursor, &plan->warmup))
				return false;
		}
	}
	return true;
}

static bool list_add(struct size_list *list, const struct size_plan *plan)
{
	if (list->count == SIZES_MAX || plan->size_bytes == 0)
		return false;
	list->plans[list->count++] = *plan;
	return true;
}

/* One item: FIRST, or FIRST..LAST*FACTOR, or FIRST..LAST+STEP, each optionally followed by its counts. */
static bool item_parse(const char *item, struct size_plan plan, struct size_list *list)
{
	uint64_t last, step = 0;
	char how = '+';

	if (!bytes_parse(&item, &plan.size_bytes))
		return false;
	last = plan.size_bytes;
	if (strncmp(item, "..", 2) == 0) {
		item += 2;
		if (!bytes_parse(&item, &last) || last < plan.size_bytes)
			return false;
		how = *item++;
		if ((how != '*' && how != '+') || !bytes_parse(&item, &step) || step < (how == '*' ? 2 : 1))
			return false;
	}
	if (!counts_parse(&item, &plan) || *item != '\0')
		return false;
	do {
		if (!list_add(list, &plan))
			return false;
		if (step == 0 ||
		    plan.size_bytes > (uint64_t)INT64_MAX / (how == '*' ? step : 1) - (how == '+' ? step : 0))
			return true;
		plan.size_bytes = how == '*' ? plan.size_bytes * step : plan.size_bytes + step;
	} while (plan.size_bytes <= last);
	return true;
}

bool size_list_parse(const char *text, const struct size_plan *fallback, struct size_list *list, char error[256])
{
	char *copy = strdup(text), *rest = copy, *item;
	bool good = copy != NULL;

	list->count = 0;
	if (!good)
		snprintf(error, 256, "no memory to read them");
	while (good && (item = strsep(&rest, ",")) != NULL) {
		good = item_parse(item, *fallback, list);
		if (!good)
			snprintf(error, 256,
				 "'%.80s' is not a size: write 64, 4K, 1..1M*2 or 16M..64M+16M, optionally "
				 "followed by @iterations/warmup; at least 1 byte, at most %d sizes",
				 item, SIZES_MAX);
	}
	free(copy);
	return good;
}

uint64_t size_list_largest(const struct size_list *list)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->plans[i].size_bytes > largest)
			largest = list->plans[i].size_bytes;
	return largest;
}
