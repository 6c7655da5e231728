/* An all-reduce: each computer has a vector of numbers, and at the end all have the sum. measure.c times it; mpi.c and
 * ring.c (with bootstrap.c and verbs.c) implement it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setting {
	int rank, ranks;     /* from -myindex and -list, or from MPI */
	char **list;         /* the addresses of all computers, by rank */
	const char *variant; /* of the ring: eager, rendezvous or pipelined */
	const char *device;  /* NULL: the first RDMA device */
	int gid;             /* an index of its GID table, or -1: the first GID that is an IPv4 address */
	bool polls;          /* looks for completions in place of sleeping until an event */
	size_t most;         /* numbers of the longest vector */
	uint32_t *mine, *sum;
};

/* Returns when all computers have joined. `mine` and `sum` are the vectors of every later call. */
void all_reduce_connect(struct setting *s);
/* Leaves in `sum` the sum, modulo 2^32, of the first `count` numbers of all computers' `mine`. */
void all_reduce(size_t count);
void all_reduce_close(void);

/* Ends the program with a message unless `good`. */
void check(bool good, const char *what);
