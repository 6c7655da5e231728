/* The main function of the programs, for any role and transport. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "options.h"
#include "transport.h"

int program_run(int argc, char **argv, enum role role, const struct transport *transport);

#endif
