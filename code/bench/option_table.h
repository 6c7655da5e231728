/* The options of all programs, and of those that are started as a server and a client. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "options.h"

extern struct options options;
extern struct option_spec options_common[], options_of_pairs[]; /* each ends with a NULL name */

#endif
