/* The options of the MPI program. */
#ifndef MPI_OPTIONS_H
#define MPI_OPTIONS_H

#include "options.h"

enum mode { PING_PONG, ONE_WAY };
enum kind { BLOCKING, NON_BLOCKING };

struct mpi_options {
	uint64_t mode;           /* enum mode */
	uint64_t calls;          /* enum kind */
	uint64_t bytes_per_call; /* a larger message is cut into pieces; AUTO: the largest count of the library */
};

extern struct mpi_options mpi_options;
extern struct option_spec mpi_option_table[];

/* Refuses impossible values, and replaces AUTO by the chosen ones. */
void mpi_options_check(struct options *options);

#endif
