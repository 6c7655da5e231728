#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"

static const char *const kinds[] = {
	[OPTION_FLAG] = "flag",   [OPTION_NUMBER] = "number",
	[OPTION_BYTES] = "bytes", [OPTION_NUMBER_OR_AUTO] = "number or auto",
	[OPTION_WORD] = "word",   [OPTION_TEXT] = "text",
};
static const char *const relations[] = {
	[IS] = "is",
	[IS_NOT] = "is not",
	[ABOVE] = "above",
	[BELOW] = "below",
	[NO_MULTIPLE_OF] = "is not a multiple of",
};

static void text(const char *words)
{
	putchar('"');
	for (; *words; words++)
		printf(*words == '"' || *words == '\\' ? "\\%c" : "%c", *words);
	putchar('"');
}

static void field(const char *name, const char *value)
{
	printf(", \"%s\": ", name);
	text(value);
}

static void option(const struct option_spec *spec)
{
	printf("\"name\": ");
	text(spec->name);
	field("kind", kinds[spec->kind]);
	field("default", spec->initial);
	if (spec->words)
		field("words", spec->words);
	if (spec->most)
		printf(", \"least\": %" PRIu64 ", \"most\": %" PRIu64, spec->least, spec->most);
	printf(", \"both_ends\": %s", spec->shared ? "true" : "false");
	field("help", spec->help);
}

static void rule(const struct rule *rule)
{
	printf("\"option\": ");
	text(rule->option);
	printf(", \"refused_if\": [");
	for (size_t i = 0; i < CONDITIONS_MAX && rule->refused_if[i].relation != ALWAYS; i++)
		printf("%s[\"%s\", \"%s\", \"%s\"]", i ? ", " : "", rule->refused_if[i].left,
		       relations[rule->refused_if[i].relation], rule->refused_if[i].right);
	putchar(']');
	field("expected", rule->expected);
}

void explain(void)
{
	size_t count;
	const struct option_spec *const *specs = options_specs(&count);
	const char *between = "";

	printf("{\n  \"options\": [\n");
	for (size_t i = 0; i < count; i++) {
		printf("%s    { ", i ? ",\n" : "");
		option(specs[i]);
		printf(" }");
	}
	printf("\n  ],\n  \"rules\": [\n");
	for (const struct rule *each = rule_table; each->option; each++)
		if (rule_concerns(each)) {
			printf("%s    { ", between);
			rule(each);
			printf(" }");
			between = ",\n";
		}
	printf("\n  ]\n}\n");
	exit(0);
}
