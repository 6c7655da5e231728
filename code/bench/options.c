#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "option_table.h"

#define OPTIONS_MAX 64

enum { HELP = OPTIONS_MAX, EXPLAIN }; /* return values of getopt_long() beside the index of an option */

static struct option_spec *specs[OPTIONS_MAX]; /* of the transport and of all programs, in order */
static size_t spec_count;

static void specs_add(struct option_spec *table)
{
	for (; table && table->name; table++)
		specs[spec_count++] = table;
}

const struct option_spec *const *options_specs(size_t *count)
{
	*count = spec_count;
	return (const struct option_spec *const *)specs;
}

const struct option_spec *option_find(const char *name)
{
	for (size_t i = 0; i < spec_count; i++)
		if (strcmp(specs[i]->name, name) == 0)
			return specs[i];
	return NULL;
}

static bool number_value(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 10);
	return *end == '\0' && *value < AUTO;
}

static bool word_value(const char *words, const char *text, uint64_t *value)
{
	size_t length = strlen(text);

	for (*value = 0; words; (*value)++) {
		if (strncmp(words, text, length) == 0 && (words[length] == '|' || words[length] == '\0'))
			return length > 0;
		words = strchr(words, '|');
		words = words ? words + 1 : NULL;
	}
	return false;
}

/* A default of 0 below `least` is allowed: it switches the option off. */
static void spec_check(const struct option_spec *spec, const char *text)
{
	const uint64_t value = *(const uint64_t *)spec->value;
	const bool idle = spec->least > 0 && strcmp(spec->initial, "0") == 0;

	if (spec->most == 0 || value == AUTO || (value >= spec->least && value <= spec->most) || (idle && value == 0))
		return;
	die_usage("--%s %s: %sbetween %" PRIu64 " and %" PRIu64 "%s%s", spec->name, text, idle ? "0, or " : "",
		  spec->least, spec->most, spec->noun ? " " : "", spec->noun ? spec->noun : "");
}

static void spec_set(struct option_spec *spec, const char *text)
{
	bool good = true;

	switch (spec->kind) {
	case OPTION_FLAG:
		*(bool *)spec->value = strcmp(text, "yes") == 0;
		break;
	case OPTION_TEXT:
		*(const char **)spec->value = text;
		break;
	case OPTION_NUMBER_OR_AUTO:
		if (strcmp(text, "auto") == 0)
			*(uint64_t *)spec->value = AUTO;
		else
			good = number_value(text, spec->value);
		break;
	case OPTION_NUMBER:
		good = number_value(text, spec->value);
		break;
	case OPTION_BYTES:
		good = size_parse(text, spec->value);
		break;
	case OPTION_WORD:
		good = word_value(spec->words, text, spec->value);
		break;
	}
	if (!good)
		die_usage("--%s %s: expected %s", spec->name, text,
			  spec->kind == OPTION_WORD           ? spec->words :
			  spec->kind == OPTION_BYTES          ? "a size such as 64K" :
			  spec->kind == OPTION_NUMBER_OR_AUTO ? "a whole number or auto" :
								"a whole number");
	if (spec->kind == OPTION_NUMBER || spec->kind == OPTION_NUMBER_OR_AUTO || spec->kind == OPTION_BYTES)
		spec_check(spec, text);
}

static const char *option_word(const struct option_spec *spec, char word[32])
{
	const char *start = spec->words;

	for (uint64_t i = *(uint64_t *)spec->value; i > 0; i--)
		start = strchr(start, '|') + 1;
	snprintf(word, 32, "%.*s", (int)strcspn(start, "|"), start);
	return word;
}

const char *option_text(const struct option_spec *spec, char number[32])
{
	switch (spec->kind) {
	case OPTION_FLAG:
		return *(bool *)spec->value ? "yes" : "no";
	case OPTION_TEXT:
		return *(const char **)spec->value;
	case OPTION_WORD:
		return option_word(spec, number);
	default:
		if (*(uint64_t *)spec->value == AUTO)
			return "auto";
		snprintf(number, 32, "%llu", *(unsigned long long *)spec->value);
		return number;
	}
}

void options_each(void (*visit)(const char *, const char *, bool, void *), void *context)
{
	char number[32];

	for (size_t i = 0; i < spec_count; i++)
		if (specs[i]->value != &options.token)
			visit(specs[i]->name, option_text(specs[i], number), specs[i]->shared, context);
}

_Noreturn static void help(enum role role)
{
	const char *launcher = role == RANK ? "mpirun -np 2 " : "";
	static const char *const arguments[] = { [SERVER] = " [PORT]", [CLIENT] = " HOST", [RANK] = "" };
	static const char *const examples[] = { [SERVER] = " --listen 127.0.0.1",
						[CLIENT] = " 127.0.0.1",
						[RANK] = "" };

	printf("Usage: %s%s [options]%s\n\n", launcher, die_program(), arguments[role]);
	for (size_t i = 0; i < spec_count; i++)
		printf("  --%-16s %s%s%s (default: %s)%s\n", specs[i]->name, specs[i]->help,
		       specs[i]->words ? ": " : "", specs[i]->words ? specs[i]->words : "",
		       *specs[i]->initial ? specs[i]->initial : "none", specs[i]->shared ? " [both ends]" : "");
	printf("  --explain          print the options, their limits and the rules between them as JSON\n");
	printf("\nExample:\n  %s%s --sizes 1..64K*2 --iterations 1000%s\n", launcher, die_program(), examples[role]);
	exit(0);
}

static void long_options(struct option *table)
{
	for (size_t i = 0; i < spec_count; i++)
		table[i] = (struct option){ specs[i]->name,
					    specs[i]->kind == OPTION_FLAG ? no_argument : required_argument, NULL,
					    (int)i };
	table[spec_count] = (struct option){ "help", no_argument, NULL, HELP };
	table[spec_count + 1] = (struct option){ "explain", no_argument, NULL, EXPLAIN };
	table[spec_count + 2] = (struct option){ NULL, 0, NULL, 0 };
}

static void defaults(enum role role)
{
	const char *token = getenv("LAB_TOKEN");

	options.role = role;
	for (size_t i = 0; i < spec_count; i++)
		spec_set(specs[i], specs[i]->initial);
	if (token)
		options.token = token;
}

static void positional(int argc, char **argv)
{
	if (options.role == CLIENT) {
		if (optind == argc)
			die_usage("the host of the server is missing: put it after the options");
		options.host = argv[optind++];
	} else if (options.role == SERVER && optind < argc) {
		if (!number_value(argv[optind], &options.port))
			die_usage("'%s' is not a port: expected a whole number", argv[optind]);
		spec_check(option_find("port"), argv[optind]);
		optind++;
	}
	if (optind < argc)
		die_usage("unexpected argument '%s'", argv[optind]);
}

struct options *options_parse(int argc, char **argv, enum role role, struct option_spec *own)
{
	struct option table[OPTIONS_MAX + 3];
	int index;

	specs_add(own);
	specs_add(options_common);
	if (role != RANK)
		specs_add(options_of_pairs);
	defaults(role);
	long_options(table);
	while ((index = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (index == '?')
			die_usage("unknown option, or an option without its value");
		if (index == HELP)
			help(role);
		if (index == EXPLAIN)
			options.explain = true;
		else
			spec_set(specs[index], specs[index]->kind == OPTION_FLAG ? "yes" : optarg);
	}
	if (!options.explain)
		positional(argc, argv);
	return &options;
}
