/* Holds the options against the rules between them, for every transport: what can't be is refused, nothing is changed.
 */
#ifndef RULES_H
#define RULES_H

#include "options.h"

/* Reads the sizes and returns if all is possible; else says what is not and exits. --explain is answered here, before.
 */
void rules_check(struct options *options);

#endif
