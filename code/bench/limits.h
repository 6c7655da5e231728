/* Limits that both an option's line and a rule's sentence need. */
#ifndef LIMITS_H
#define LIMITS_H

#include "stable.h"
#include "sweep.h"

#define WINDOWS_MIN 20 /* fewer give no interval worth printing */
#define WINDOWS_MAX SAMPLES_MAX
#define ITERATIONS_MAX 1000000000000 /* a day of the quickest link; with 10^6 windows their product fits 64 bits */
#define ROUNDS_MAX 100000

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

#endif
