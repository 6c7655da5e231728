/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet between two cards, as it is in a frame: this header, then its payload. packet_line_bytes() is its modelled
 * size on the link. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum packet_kind { MESSAGE, ASK, ATOMIC, DATAGRAM, ANSWER, RESULT, ACK, CONGESTION, PACKET_KINDS };
/* Three are for the link's log alone, of how the request was posted: its data inline, with a completion, as
 * the first one of a doorbell. The last one is set by a switch. */
enum packet_flag {
	FIRST = 1,
	LAST = 2,
	WANTS_EVENT = 4,
	WANTS_ACK = 8,
	INSIDE = 16,
	REPORTED = 32,
	RUNG = 64,
	MARKED = 128
};
enum packet_ack { ACKED, RNR, OUT_OF_ORDER, INVALID, DENIED, FAILED }; /* all but the first refuse the packet */

enum { PSN_MASK = 0xffffff, PAYLOAD_MOST = 4096, PACKET_MOST = 4096 + 40 };

struct packet {
	uint8_t kind, flags, opcode, ack;
	uint32_t from, to;   /* queue pairs */
	uint32_t psn, bytes; /* of payload */
	uint32_t imm, rkey, qkey;
	uint32_t rnr_timer;
	uint32_t length; /* of the whole message, or the requested length */
	uint64_t remote, compare_add, swap;
};

/* The distance of two sequence numbers, -2^23 to 2^23 - 1. */
static inline int32_t psn_after(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* The bytes of a packet on the link: its payload, `header_bytes`, and the further headers of its kind. */
uint64_t packet_line_bytes(const struct packet *packet, uint64_t header_bytes);

#endif
