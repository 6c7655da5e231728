#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

#define OPTIONS_MAX 64

static struct options options;

static struct option_spec common[] = {
	{ "sizes", OPTION_TEXT, &options.sizes_text, "1..1M*2", true, NULL,
	  "message sizes: 64,4K or 1..1M*2 or 16M..64M+16M, each with @iterations/warmup if need be" },
	{ "iterations", OPTION_NUMBER, &options.iterations, "5000", true, NULL, "timed messages per size" },
	{ "warmup", OPTION_NUMBER, &options.warmup, "500", true, NULL, "untimed messages before them" },
	{ "least-time", OPTION_NUMBER, &options.least_time_s, "0", true, NULL,
	  "seconds that each size must last: else it is measured with more iterations (0: as long as they take)" },
	{ "verify", OPTION_FLAG, &options.verify, "no", true, NULL, "check every byte where it landed" },
	{ "seed", OPTION_NUMBER, &options.seed, "1", true, NULL, "of the pattern that --verify checks" },
	{ "deadline", OPTION_NUMBER, &options.deadline_s, "30", true, NULL,
	  "seconds that any wait may last without progress" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL },
};

/* Of the programs that are started as a server and a client. */
static struct option_spec of_pairs[] = {
	{ "measure", OPTION_WORD, &options.measure, "throughput", true, "throughput|latency", "what a sample is" },
	{ "windows", OPTION_NUMBER, &options.windows, "20", true, NULL, "throughput samples per size" },
	{ "until-stable", OPTION_NUMBER, &options.until_stable, "0", true, NULL,
	  "repeat rounds of the iterations until they differ by at most so many percent (0: one round)" },
	{ "stable-window", OPTION_NUMBER, &options.stable_window, "5", true, NULL, "how many rounds must agree" },
	{ "rounds-cap", OPTION_NUMBER, &options.rounds_cap, "50", true, NULL,
	  "rounds after which it is given up and said so" },
	{ "wait", OPTION_WORD, &options.wait, "poll", true, "poll|yield|event",
	  "how to wait: spin, spin and yield the core, or sleep" },
	{ "core", OPTION_NUMBER_OR_AUTO, &options.core, "auto", false, NULL, "processor to pin to (auto: none)" },
	{ "port", OPTION_NUMBER_OR_AUTO, &options.port, "auto", false, NULL,
	  "TCP port of the server (auto: 6666 with --format columns, else 18600)" },
	{ "listen", OPTION_TEXT, &options.listen, "127.0.0.1", false, NULL, "server: address to listen on" },
	{ "source", OPTION_TEXT, &options.source, "", false, NULL, "client: address to connect from" },
	{ "format", OPTION_WORD, &options.format, "csv", false, "csv|columns",
	  "raw samples, or a line 'size  value  Mbps' for each size, from the client" },
	{ "token", OPTION_TEXT, &options.token, "", false, NULL,
	  "secret that both ends know (better: LAB_TOKEN in the environment)" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL },
};

static struct option_spec *specs[OPTIONS_MAX]; /* of the program's own and the common tables, in order */
static size_t spec_count;

static void specs_add(struct option_spec *table)
{
	for (; table && table->name; table++)
		specs[spec_count++] = table;
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
}

const char *option_word(const struct option_spec *spec, char word[32])
{
	const char *start = spec->words;

	for (uint64_t i = *(uint64_t *)spec->value; i > 0; i--)
		start = strchr(start, '|') + 1;
	snprintf(word, 32, "%.*s", (int)strcspn(start, "|"), start);
	return word;
}

static const char *spec_text(const struct option_spec *spec, char number[32])
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
			visit(specs[i]->name, spec_text(specs[i], number), specs[i]->shared, context);
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
	printf("\nExample:\n  %s%s --sizes 1..64K*2 --iterations 1000%s\n", launcher, die_program(), examples[role]);
	exit(0);
}

static void long_options(struct option *table)
{
	for (size_t i = 0; i < spec_count; i++)
		table[i] = (struct option){ specs[i]->name,
					    specs[i]->kind == OPTION_FLAG ? no_argument : required_argument, NULL,
					    (int)i };
	table[spec_count] = (struct option){ "help", no_argument, NULL, OPTIONS_MAX };
	table[spec_count + 1] = (struct option){ NULL, 0, NULL, 0 };
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
			die_usage("name the server's host behind the options");
		options.host = argv[optind++];
	} else if (options.role == SERVER && optind < argc) {
		if (!number_value(argv[optind], &options.port))
			die_usage("'%s' is no port: expected a whole number", argv[optind]);
		optind++;
	}
	if (optind < argc)
		die_usage("unexpected argument '%s'", argv[optind]);
}

struct options *options_parse(int argc, char **argv, enum role role, struct option_spec *own)
{
	struct option table[OPTIONS_MAX + 2];
	int index;

	specs_add(own);
	specs_add(common);
	if (role != RANK)
		specs_add(of_pairs);
	defaults(role);
	long_options(table);
	while ((index = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (index == '?')
			die_usage("that option is not known here, or lacks its value");
		if (index == OPTIONS_MAX)
			help(role);
		spec_set(specs[index], specs[index]->kind == OPTION_FLAG ? "yes" : optarg);
	}
	positional(argc, argv);
	return &options;
}
