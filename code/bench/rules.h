/* Rules between options: data, which --explain prints, so that the harness refuses the same. */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>

#include "options.h"

/* IS and IS_NOT compare what a user would type, the others numbers; of an option left to auto no number holds. */
enum relation { ALWAYS, IS, IS_NOT, ABOVE, BELOW, NO_MULTIPLE_OF };

/* Each side is the name of an option, a number or word, or a product such as "windows*post-list". The names size,
 * iterations and warmup stand for those of each size in turn. */
struct condition {
	const char *left;
	enum relation relation; /* ALWAYS: no condition */
	const char *right;
};

#define CONDITIONS_MAX 4

struct rule {
	const char *option;                          /* the one to blame */
	struct condition refused_if[CONDITIONS_MAX]; /* all of them hold */
	const char *expected;                        /* behind the option; {name} stands for a value */
};

extern const struct rule rule_table[]; /* ends with a NULL option */

/* Whether this program has all options of the rule. */
bool rule_concerns(const struct rule *rule);

/* Reads the sizes and returns if all is possible; else says what is not and exits. --explain is answered here, before.
 */
void rules_check(struct options *options);

/* Prints one JSON object and exits. */
_Noreturn void explain(void);

#endif
