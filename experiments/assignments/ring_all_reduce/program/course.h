/* The interface between the course's frame (course.c) and your files. Leave this file as it is: a grader uses another
 * copy of it. */
#ifndef COURSE_H
#define COURSE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT 16384 /* bytes of the largest message of pipelined.c and zero_copy.c */

enum type { INT32, INT64, DOUBLE };
enum operation { SUM, MAX };

/* A computer's part of the ring. Rank 0 sends to rank 1, rank 1 to rank 2, and the last rank to rank 0. */
struct ring {
	/* The course sets these before connect_ring(). */
	const char *device;
	int rank, ranks;
	size_t most; /* bytes of the longest vector of all calls */
	struct ibv_context *context;
	struct ibv_pd *pd;
	int gid_index; /* of the GID that is an IPv4 address */
	union ibv_gid gid;

	/* connect_ring() sets these. */
	struct ibv_cq *cq;      /* of the requests that `out` sends; other requests may share it */
	struct ibv_qp *out;     /* to the next rank */
	struct ibv_qp *in;      /* from the previous rank; it must allow IBV_ACCESS_REMOTE_WRITE */
	struct messages *state; /* what you need besides: messages.h */
};

/* 1, connect.c. `names` are the IPv4 addresses of all ranks, in their order. When connect_ring() returns, both queue
 * pairs can send and receive. The TCP port is free for your sockets. */
void connect_ring(struct ring *r, char **names, int port);
void close_ring(struct ring *r);

/* A vector has r->ranks chunks: see chunk_of(). In each step a rank sends one chunk to the next rank and receives
 * another one. A call returns when sendbuf and recvbuf may be changed: its messages have arrived, and its requests are
 * complete. The next call may follow at once, and another rank may begin it earlier.
 *
 * 2, reduce.c. At the end, chunk rank + 1 of recvbuf has the result of all ranks. The other chunks do not matter. */
void reduce_scatter(struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t, enum operation op);
/* 3, gather.c. At first, chunk rank + 1 of recvbuf has its result; at the end all chunks have. */
void all_gather(struct ring *r, void *recvbuf, size_t count, enum type t);

/* 4 to 7: recvbuf becomes the sum, or the largest, of all ranks' sendbufs, number by number.
 *
 *     4 eager.c       a SEND for each chunk, into a buffer that waits for it
 *     5 rendezvous.c  an RDMA WRITE (with or without immediate data) for each chunk, to an address from the receiver
 *     6 pipelined.c   SENDs or WRITEs of at most SEGMENT bytes, several of them in flight
 *     7 zero_copy.c   as 6, and the finished chunks are written directly into the recvbuf of the next rank */
#define ARGUMENTS struct ring *r, const void *sendbuf, void *recvbuf, size_t count, enum type t, enum operation op
void all_reduce_eager(ARGUMENTS);
void all_reduce_rendezvous(ARGUMENTS);
void all_reduce_pipelined(ARGUMENTS);
void all_reduce_zero_copy(ARGUMENTS);

/* The course's functions for you. */
struct part {
	size_t first, count; /* numbers of the vector */
};
struct part chunk_of(const struct ring *r, size_t count, int number); /* any number: -1 is the last chunk */
size_t size_of(enum type t);                                          /* bytes of a number */
/* Adds numbers to those of a vector, or takes the larger ones. */
void combine(void *into, const void *from, size_t count, enum type t, enum operation op);
void check(bool good, const char *what);  /* ends the program with a message unless `good` */
_Noreturn void not_yet(const char *what); /* what is still to be written */

#endif
