/* The rules between options: data, which --explain prints, so that the harness refuses the same combinations. */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>

#include "options.h"

/* IS and IS_NOT compare text, the others numbers. A numeric relation never holds for an option that is auto. */
enum relation { ALWAYS, IS, IS_NOT, ABOVE, BELOW, NO_MULTIPLE_OF };

/* Each side is the name of an option, a number or word, or a product such as "windows*post-list". The names size,
 * iterations and warmup stand for the values of each size in turn. */
struct condition {
	const char *left;
	enum relation relation; /* ALWAYS: no condition */
	const char *right;
};

#define CONDITIONS_MAX 5

struct rule {
	const char *option;                          /* the option that the message names */
	struct condition refused_if[CONDITIONS_MAX]; /* if all of them hold */
	const char *expected;                        /* the message after the option; {name} stands for a value */
};

extern const struct rule rule_table[]; /* ends with a NULL option */

/* Whether this program has all options of the rule. */
bool rule_concerns(const struct rule *rule);

/* Reads the sizes and checks the rules for each; reports the first broken rule and exits. Answers --explain first. */
void rules_check(struct options *options);

/* Prints the options and rules of this program as one JSON object and exits. */
_Noreturn void explain(void);

#endif
