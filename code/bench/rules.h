/* Rules between options that hold for every transport: what can't be is refused, nothing is changed. */
#ifndef RULES_H
#define RULES_H

#include "options.h"

/* Reads the sizes and returns if all is possible; else says what is not and exits. */
void rules_check(struct options *options);

#endif
