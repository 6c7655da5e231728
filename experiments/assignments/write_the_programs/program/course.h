/* What the course gives to the ten files of a student, and what it asks of each. Leave this file as it is: a grader
 * takes its own copy of it. */
#ifndef COURSE_H
#define COURSE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define DEPTH 64        /* requests in flight at most, and messages that the buffer holds */
#define LIST 16         /* requests of one list */
#define INLINE_MOST 256 /* bytes of a message that can travel inside its request */

/* One end. The first three lines are the course's, all others are filled step by step. */
struct side {
	const char *device;
	bool is_server;
	uint32_t size; /* bytes of each message */

	/* 1 open.c */
	struct ibv_context *context;
	struct ibv_pd *pd;
	int gid_index; /* of the first GID that is an IPv4 address */
	union ibv_gid gid;

	/* 2 connect.c; the course exchanges the two numbers between make_queue_pair() and connect_queue_pair() */
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint32_t there_qpn;
	union ibv_gid there_gid;

	/* 3 register.c; the course has made the buffer: DEPTH messages, one behind the other. It then exchanges where
	 * the server's buffer is, and its key. */
	char *buffer;
	struct ibv_mr *mr;
	uint64_t there_address;
	uint32_t there_rkey;
};

void open_device(struct side *s);               /* 1 */
void make_queue_pair(struct side *s);           /* 2, first half: the queues, and INIT */
void connect_queue_pair(struct side *s);        /* 2, second half: RTR and RTS */
void register_buffer(struct side *s);           /* 3: for the other end to write */
void post_write(struct side *s, long number);   /* 4: one RDMA WRITE of this message, signalled */
void wait_for(struct side *s, int completions); /* 5: until so many requests are complete, and each of them well */

/* Each sends `warmup` messages, then `count` more, and says in how many nanoseconds those `count` went out and were
 * acknowledged. Messages are numbered from 0, warm-up included; message k begins with what course_fill() writes. */
int64_t one_at_a_time(struct side *s, long warmup, long count);  /* 5: waits for each before it posts the next */
int64_t many_in_flight(struct side *s, long warmup, long count); /* 6: up to DEPTH */
int64_t inline_data(struct side *s, long warmup, long count);    /* 7: as 6, and inside the request where it fits */
int64_t signal_some(struct side *s, long warmup, long count);    /* 8: as 6, one completion for LIST messages */
int64_t lists(struct side *s, long warmup, long count);          /* 9: as 8, LIST requests for one call */

/* 10: by TCP, without verbs. A message is its beginning, as course_fill() writes it (8 bytes, or less of a shorter
 * one), and the rest of its s->size bytes. The server answers each whole message by one byte, until the client leaves.
 * The client waits for the answer before its next message. `there` is a connected socket, s->buffer holds one message.
 */
int64_t over_tcp(struct side *s, int there, long warmup, long count);
void answer_over_tcp(struct side *s, int there);

/* Given by the course. */
void course_fill(char *at, long number); /* writes the beginning of a message */
int64_t now_ns(void);
void check(bool good, const char *what);  /* says what failed, and why by errno, and ends the program */
_Noreturn void not_yet(const char *what); /* what is still to be written */

#endif
