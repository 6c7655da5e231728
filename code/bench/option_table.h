/* The option tables of all programs, and the limits that rules need too. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "options.h"
#include "stable.h"
#include "sweep.h"

#define WINDOWS_MIN 20 /* fewer give no useful interval */
#define WINDOWS_MAX SAMPLES_MAX
#define ITERATIONS_MAX 1000000000000 /* a day on the fastest link; times 10^6 windows it fits in 64 bits */
#define ROUNDS_MAX 100000

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

extern struct options options;
extern struct option_spec options_common[], options_of_pairs[]; /* each ends with a NULL name */

#endif
