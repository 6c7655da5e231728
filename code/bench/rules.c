#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

#define PORT 18600
#define PORT_COLUMNS 6666 /* of the exercise that defines the output of --format columns */

/* The value of an option as text, or of a size; NULL if this program has no such option. */
static const char *value_of(const char *name, const struct size_plan *plan, char number[32])
{
	const struct option_spec *spec = option_find(name);
	const uint64_t *of_size = strcmp(name, "size") == 0       ? &plan->size_bytes :
				  strcmp(name, "iterations") == 0 ? &plan->iterations :
				  strcmp(name, "warmup") == 0     ? &plan->warmup :
								    NULL;

	if (!of_size)
		return spec ? option_text(spec, number) : NULL;
	snprintf(number, 32, "%" PRIu64, *of_size);
	return number;
}

/* False if a factor is not a number, such as auto. A product that exceeds 64 bits saturates. */
static bool product_of(const char *factors, const struct size_plan *plan, uint64_t *product)
{
	char copy[64], number[32], *rest = copy, *end;
	const char *factor, *text;
	uint64_t value;

	snprintf(copy, sizeof(copy), "%s", factors);
	*product = 1;
	while ((factor = strsep(&rest, "*")) != NULL) {
		text = value_of(factor, plan, number);
		value = strtoull(text ? text : factor, &end, 10);
		if (*end != '\0')
			return false;
		if (__builtin_mul_overflow(*product, value, product))
			*product = UINT64_MAX;
	}
	return true;
}

static bool compares(const struct condition *c, const struct size_plan *plan)
{
	uint64_t left, right;

	if (!product_of(c->left, plan, &left) || !product_of(c->right, plan, &right))
		return false;
	switch (c->relation) {
	case ABOVE:
		return left > right;
	case BELOW:
		return left < right;
	default:
		return right == 0 || left % right != 0;
	}
}

static bool is_same(const struct condition *c, const struct size_plan *plan)
{
	char number[32];

	return strcmp(value_of(c->left, plan, number), c->right) == 0;
}

static bool holds(const struct condition *c, const struct size_plan *plan)
{
	switch (c->relation) {
	case ALWAYS:
		return true;
	case IS:
		return is_same(c, plan);
	case IS_NOT:
		return !is_same(c, plan);
	default:
		return compares(c, plan);
	}
}

static bool is_broken(const struct rule *rule, const struct size_plan *plan)
{
	for (size_t i = 0; i < CONDITIONS_MAX; i++)
		if (!holds(&rule->refused_if[i], plan))
			return false;
	return true;
}

/* Writes the message with values in place of their names in braces. */
static const char *filled(const char *sentence, const struct size_plan *plan, char *out, size_t room)
{
	char name[32], number[32];
	size_t length = 0;
	int taken;

	for (; *sentence && length + sizeof(number) < room; out[length] = '\0')
		if (sscanf(sentence, "{%31[^}]}%n", name, &taken) == 1) {
			length += (size_t)snprintf(out + length, room - length, "%s", value_of(name, plan, number));
			sentence += taken;
		} else {
			out[length++] = *sentence++;
		}
	return out;
}

static void check_size(const struct size_plan *plan)
{
	char sentence[512];

	for (const struct rule *rule = rule_table; rule->option; rule++)
		if (rule_concerns(rule) && is_broken(rule, plan))
			die_usage("--%s: %s", rule->option, filled(rule->expected, plan, sentence, sizeof(sentence)));
}

static void read_sizes(struct options *o)
{
	const struct size_plan fallback = { 0, o->iterations, o->warmup };
	char error[256];

	if (!size_list_parse(o->sizes_text, &fallback, &o->sizes, error))
		die_usage("--sizes: %s", error);
}

void rules_check(struct options *o)
{
	if (o->explain)
		explain();
	read_sizes(o);
	for (size_t i = 0; i < o->sizes.count; i++)
		check_size(&o->sizes.plans[i]);
	if (o->role != RANK && o->port == AUTO)
		o->port = o->format == FORMAT_COLUMNS ? PORT_COLUMNS : PORT;
}
