#include "mpi_calls.h"

#include <limits.h>

#define TAG 1

/* MPI 4.0 has large counts; OpenMPI 4 implements MPI 3.1. */
#if MPI_VERSION >= 4
typedef MPI_Count count;
#define LARGEST INT64_MAX
#define SEND MPI_Send_c
#define RECV MPI_Recv_c
#define ISEND MPI_Isend_c
#define IRECV MPI_Irecv_c
#else
typedef int count;
#define LARGEST INT_MAX
#define SEND MPI_Send
#define RECV MPI_Recv
#define ISEND MPI_Isend
#define IRECV MPI_Irecv
#endif

uint64_t calls_largest(void)
{
	return LARGEST;
}

uint64_t calls_per_message(const struct message *m)
{
	return (m->bytes + m->piece - 1) / m->piece;
}

static count piece_at(const struct message *m, uint64_t at)
{
	return (count)(m->bytes - at < m->piece ? m->bytes - at : m->piece);
}

static void blocking_send(const struct message *m)
{
	for (uint64_t at = 0; at < m->bytes; at += m->piece)
		SEND(m->out + at, piece_at(m, at), MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD);
}

static void blocking_receive(const struct message *m)
{
	for (uint64_t at = 0; at < m->bytes; at += m->piece)
		RECV(m->in + at, piece_at(m, at), MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void blocking_ping(const struct message *m)
{
	blocking_send(m);
	blocking_receive(m);
}

static void blocking_pong(const struct message *m)
{
	blocking_receive(m);
	blocking_send(m);
}

static void begin_send(const struct message *m)
{
	for (uint64_t at = 0, i = 0; at < m->bytes; at += m->piece, i++)
		ISEND(m->out + at, piece_at(m, at), MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &m->outgoing[i]);
}

static void begin_receive(const struct message *m)
{
	for (uint64_t at = 0, i = 0; at < m->bytes; at += m->piece, i++)
		IRECV(m->in + at, piece_at(m, at), MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &m->incoming[i]);
}

static void complete(const struct message *m, MPI_Request *requests)
{
	for (uint64_t at = 0, i = 0; at < m->bytes; at += m->piece, i++)
		MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void non_blocking_send(const struct message *m)
{
	begin_send(m);
	complete(m, m->outgoing);
}

static void non_blocking_receive(const struct message *m)
{
	begin_receive(m);
	complete(m, m->incoming);
}

/* The receive of the reply is posted before the message leaves: non-blocking calls exist for this. */
static void non_blocking_ping(const struct message *m)
{
	begin_receive(m);
	begin_send(m);
	complete(m, m->outgoing);
	complete(m, m->incoming);
}

static void non_blocking_pong(const struct message *m)
{
	non_blocking_receive(m);
	non_blocking_send(m);
}

const struct calls calls_blocking = {
	.send = blocking_send,
	.receive = blocking_receive,
	.ping = blocking_ping,
	.pong = blocking_pong,
};

const struct calls calls_non_blocking = {
	.send = non_blocking_send,
	.receive = non_blocking_receive,
	.ping = non_blocking_ping,
	.pong = non_blocking_pong,
};
