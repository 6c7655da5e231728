/* How one message is sent over MPI: with blocking calls, or with requests and waits. */
#ifndef MPI_CALLS_H
#define MPI_CALLS_H

#include <mpi.h>
#include <stdint.h>

struct message {
	unsigned char *out, *in;
	uint64_t bytes, piece; /* piece: bytes per call */
	int peer;
	MPI_Request *outgoing, *incoming; /* room for one request per piece */
};

struct calls {
	void (*send)(const struct message *);
	void (*receive)(const struct message *);
	void (*ping)(const struct message *); /* there and back */
	void (*pong)(const struct message *); /* the part of the other rank */
};

extern const struct calls calls_blocking, calls_non_blocking;

/* The most bytes of one call: 2^31-1 where counts are int, more where the library has large counts. */
uint64_t calls_largest(void);

/* Calls per message. */
uint64_t calls_per_message(const struct message *message);

#endif
