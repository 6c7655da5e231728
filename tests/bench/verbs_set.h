/* Sets the options of the verbs programs as a command line would, which can be read only once in a process. */
#ifndef VERBS_SET_H
#define VERBS_SET_H

#include <stdlib.h>
#include <string.h>

#include "verbs_options.h"

static inline void verbs_set(const char *name, uint64_t value)
{
	for (struct option_spec *spec = verbs_option_specs; spec->name; spec++)
		if (strcmp(spec->name, name) == 0)
			*(uint64_t *)spec->value = value;
}

static inline void verbs_set_text(const char *name, const char *text)
{
	for (struct option_spec *spec = verbs_option_specs; spec->name; spec++)
		if (strcmp(spec->name, name) == 0)
			*(const char **)spec->value = text;
}

static inline void verbs_set_defaults(void)
{
	for (struct option_spec *spec = verbs_option_specs; spec->name; spec++)
		if (spec->kind == OPTION_TEXT)
			*(const char **)spec->value = spec->initial;
		else if (spec->kind == OPTION_WORD)
			*(uint64_t *)spec->value = 0; /* the first word of each is its default */
		else
			*(uint64_t *)spec->value =
				strcmp(spec->initial, "auto") == 0 ? AUTO : strtoull(spec->initial, NULL, 10);
}

#endif
