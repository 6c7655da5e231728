/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool set(struct options *o, const char *name, size_t length, const char *value)
{
	const struct {
		const char *name, **text;
		uint64_t *number;
	} known[] = {
		{ "end", &o->end, NULL },           { "shared", &o->shared, NULL },
		{ "log", &o->log, NULL },           { "latency", NULL, &o->latency_ns },
		{ "begin", NULL, &o->begin_ns },    { "rate", NULL, &o->rate_bit_s },
		{ "mtu", NULL, &o->mtu_bytes },     { "queue", NULL, &o->queue_bytes },
		{ "loss", NULL, &o->loss_ppm },     { "seed", NULL, &o->seed },
		{ "offload", NULL, &o->offload },   { "trusted", NULL, &o->trusted },
		{ "hold", NULL, &o->hold_ns },      { "calls", NULL, &o->calls },
		{ "mailbox", NULL, &o->mailbox },   { "console", NULL, &o->console },
		{ "card", NULL, &o->card },         { "processor", NULL, &o->processor },
		{ "computer", NULL, &o->computer },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].name) != length || strncmp(known[i].name, name, length))
			continue;
		if (known[i].number)
			return number(value, known[i].number);
		*known[i].text = strdup(value); /* the string of QEMU is freed before the wires are connected */
		return true;
	}
	return false;
}

static bool is_possible(const struct options *o)
{
	return !o->end ||
	       ((!strcmp(o->end, "0") || !strcmp(o->end, "1")) && o->latency_ns && o->latency_ns < 1ull << 62);
}

static bool is_of_card(const char *word)
{
	return strncmp(word, "card_", strlen("card_")) == 0;
}

static bool keep(struct options *o, const char *word)
{
	const size_t used = strlen(o->card_words);

	return snprintf(o->card_words + used, CARD_WORDS_BYTES - used, "%s,", word) < (int)(CARD_WORDS_BYTES - used);
}

static bool read_one(struct options *o, const char *word)
{
	const char *const equals = strchr(word, '=');

	if (equals && is_of_card(word))
		return keep(o, word);
	if (equals && set(o, word, (size_t)(equals - word), equals + 1))
		return true;
	fprintf(stderr, "pair: unknown option, or not a number: %s\n", word);
	return false;
}

static bool require_possible(const struct options *o)
{
	if (!is_possible(o))
		fprintf(stderr, "pair: end must be 0 or 1, latency at least 1\n");
	return is_possible(o);
}

bool options_read(struct options *o, int argc, char **argv)
{
	*o = (struct options){ .latency_ns = 1000, .offload = 1 };
	for (int a = 0; a < argc; a++)
		if (!read_one(o, argv[a]))
			return false;
	return require_possible(o);
}

bool options_change(struct options *o, char *line)
{
	char *rest = line, *word;

	while ((word = strsep(&rest, ",")))
		if (!read_one(o, word))
			return false;
	return require_possible(o);
}
