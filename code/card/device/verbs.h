/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of <infiniband/verbs.h> and of the InfiniBand specification (volume 1, release 1.4) that a card uses. */
#ifndef VERBS_H
#define VERBS_H

enum verbs_opcode { WRITE, WRITE_IMM, SEND, SEND_IMM, READ, CAS, FADD, OPCODES };
enum verbs_flag { FENCE = 1, SIGNALLED = 2, SOLICITED = 4, INLINE = 8 };
enum verbs_type { RC = 2, UC = 3, UD = 4 };
enum verbs_state { RESET, INIT, RTR, RTS, SQD, SQE, ERR, STATES };
enum verbs_access { LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8 };

enum verbs_status {
	SUCCESS,
	LOCAL_LENGTH,
	LOCAL_OPERATION,
	LOCAL_PROTECTION = 4,
	FLUSHED,
	BAD_RESPONSE = 7,
	LOCAL_ACCESS,
	REMOTE_INVALID,
	REMOTE_ACCESS,
	REMOTE_OPERATION,
	RETRIES_EXCEEDED,
	RNR_EXCEEDED,
};

enum verbs_entry { ENTRY_SEND, ENTRY_WRITE, ENTRY_READ, ENTRY_CAS, ENTRY_FADD, ENTRY_RECV = 128, ENTRY_RECV_IMM };
enum verbs_entry_flag { HAS_GRH = 1, HAS_IMM = 2 };

enum verbs_event {
	CQ_ERROR,
	QP_FATAL,
	QP_REQUEST_ERROR,
	QP_ACCESS_ERROR,
	SQ_DRAINED = 5,
	SRQ_LIMIT = 15,
	LAST_RECEIVE = 16,
};

/* The verdict on a queue pair that has received a packet: it may fail, with an event or without one if a completion
 * reports the error. */
enum verbs_verdict { GOES_ON, FAILS, FAILS_BY_REQUEST, FAILS_BY_ACCESS };

enum { RNR_FOREVER = 7, GRH_BYTES = 40, MOST_MESSAGE = 1 << 30 };

/* Whether the peer returns data. */
static inline int verbs_asks(unsigned int opcode)
{
	return opcode == READ || opcode == CAS || opcode == FADD;
}

/* Whether it writes to memory that the sender names. */
static inline int verbs_writes(unsigned int opcode)
{
	return opcode == WRITE || opcode == WRITE_IMM;
}

/* Whether it uses a receive of the peer. */
static inline int verbs_takes(unsigned int opcode)
{
	return opcode == WRITE_IMM || opcode == SEND || opcode == SEND_IMM;
}

#endif
