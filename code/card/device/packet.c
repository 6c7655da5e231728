/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "packet.h"
#include "verbs.h"

/* The sizes of the extended transport headers of InfiniBand; of a congestion notification (its annex A17, RoCEv2). */
enum { RETH = 16, ATOMIC_ETH = 28, ATOMIC_ACK_ETH = 8, AETH = 4, DETH = 8, IMM_DT = 4, CNP_RESERVED = 16 };

static uint64_t imm_bytes(const struct packet *p)
{
	return p->flags & LAST && (p->opcode == WRITE_IMM || p->opcode == SEND_IMM) ? IMM_DT : 0;
}

uint64_t packet_line_bytes(const struct packet *p, uint64_t header_bytes)
{
	switch (p->kind) {
	case MESSAGE:
		return header_bytes + p->bytes + imm_bytes(p) +
		       (p->flags & FIRST && verbs_writes(p->opcode) ? RETH : 0);
	case ASK:
		return header_bytes + RETH;
	case ATOMIC:
		return header_bytes + ATOMIC_ETH;
	case DATAGRAM:
		return header_bytes + DETH + imm_bytes(p) + p->bytes -
		       GRH_BYTES; /* its routing header is in header_bytes */
	case ANSWER:
		return header_bytes + p->bytes + (p->flags & (FIRST | LAST) ? AETH : 0);
	case RESULT:
		return header_bytes + AETH + ATOMIC_ACK_ETH;
	case CONGESTION:
		return header_bytes + CNP_RESERVED;
	default:
		return header_bytes + AETH;
	}
}
