/* Both ends of a link in one process: one runs until it waits for the other, then the other does. */
#ifndef TWO_ENDS_H
#define TWO_ENDS_H

#include "options.h"

/* Runs body for the server and for the client, each on a stack of its own, until both have returned. */
void two_ends_run(void (*body)(enum role role, int side));

/* Lets the other end run. */
void two_ends_switch(void);

#endif
