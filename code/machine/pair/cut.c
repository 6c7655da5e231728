/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "checksum.h"
#include "cut.h"
#include "wire.h"

/* Offsets in the headers: RFC 791, RFC 8200, RFC 9293. */
enum { V4_BYTES = 20, V4_LENGTH = 2, V4_ID = 4, V4_SUM = 10, V4_ADDRESSES = 12, V4_ADDRESSES_BYTES = 8 };
enum { V6_BYTES = 40, V6_LENGTH = 4, V6_ADDRESSES = 8, V6_ADDRESSES_BYTES = 32 };
enum { TCP_BYTES = 20, TCP_SEQUENCE = 4, TCP_OFFSET = 12, TCP_FLAGS = 13, TCP_SUM = 16, TCP_PROTOCOL = 6 };
enum { FIN = 0x01, PSH = 0x08, CWR = 0x80 };
enum { VLAN_BYTES = 4, VLAN_TYPE = 0x8100 };

static uint32_t read_number(const uint8_t *from, int bytes)
{
	uint32_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

static void write_number(uint8_t *to, int bytes, uint32_t value)
{
	for (int i = bytes; i-- > 0; value >>= 8)
		to[i] = (uint8_t)value;
}

static bool plan_whole(struct cut *c, const struct card_header *h)
{
	c->frames = 1;
	c->headers = 0;
	c->payload = c->size;
	return !c->verified || (size_t)h->sum_from + h->sum_at + 2 <= c->size;
}

static size_t place_of_ip(const struct cut *c)
{
	return HEADER_BYTES + (read_number(c->bytes + HEADER_BYTES - 2, 2) == VLAN_TYPE ? VLAN_BYTES : 0);
}

/* The IP header ends where that of TCP begins, apart from options and extensions between them. */
static bool holds_headers(const struct cut *c)
{
	const size_t ip_bytes = c->kind == TCP_V4 ? V4_BYTES : V6_BYTES;

	return c->ip + ip_bytes <= c->tcp && c->tcp + TCP_BYTES <= c->size &&
	       (c->kind != TCP_V4 || c->ip + (c->bytes[c->ip] & 15) * 4u == c->tcp);
}

static bool plan_pieces(struct cut *c, const struct card_header *h)
{
	if (c->size < HEADER_BYTES)
		return false;
	c->ip = place_of_ip(c);
	c->tcp = h->sum_from;
	if (!c->verified || h->sum_at != TCP_SUM || !h->payload || !holds_headers(c))
		return false;
	c->headers = c->tcp + (c->bytes[c->tcp + TCP_OFFSET] >> 4) * 4u;
	c->payload = h->payload;
	if (c->headers < c->tcp + TCP_BYTES || c->headers >= c->size)
		return false;
	c->frames = (unsigned int)((c->size - c->headers + c->payload - 1) / c->payload);
	return true;
}

bool cut_plan(struct cut *c, const struct card_header *h, const uint8_t *bytes, size_t size)
{
	*c = (struct cut){ .bytes = bytes,
			   .size = size,
			   .kind = h->kind & (uint8_t)~HAS_ECN,
			   .verified = h->flags & WANTS_CHECKSUM,
			   .sum_from = h->sum_from,
			   .sum_at = h->sum_at };
	switch (c->kind) {
	case WHOLE:
		return plan_whole(c, h);
	case TCP_V4:
	case TCP_V6:
		return plan_pieces(c, h);
	default:
		return false; /* the card offers nothing else */
	}
}

static size_t payload_size(const struct cut *c, unsigned int number)
{
	const size_t left = c->size - c->headers - number * c->payload;

	return left < c->payload ? left : c->payload;
}

size_t cut_size(const struct cut *c, unsigned int number)
{
	return c->headers + payload_size(c, number);
}

static void write_v4(const struct cut *c, unsigned int number, uint8_t *ip, size_t size)
{
	write_number(ip + V4_LENGTH, 2, (uint32_t)(size - c->ip));
	write_number(ip + V4_ID, 2, read_number(ip + V4_ID, 2) + number);
	write_number(ip + V4_SUM, 2, 0);
	checksum_write(checksum_add(0, ip, c->tcp - c->ip), ip + V4_SUM);
}

/* As in Linux (tcp_gso_segment): only the first frame has CWR, only the last one FIN and PSH. */
static void write_tcp(const struct cut *c, unsigned int number, uint8_t *tcp)
{
	const uint32_t sequence = read_number(tcp + TCP_SEQUENCE, 4) + number * (uint32_t)c->payload;

	write_number(tcp + TCP_SEQUENCE, 4, sequence);
	if (number > 0)
		tcp[TCP_FLAGS] &= (uint8_t)~CWR;
	if (number + 1 < c->frames)
		tcp[TCP_FLAGS] &= (uint8_t)~(FIN | PSH);
}

/* The checksum of TCP includes addresses, protocol and length: the pseudo header. */
static void write_tcp_sum(const struct cut *c, uint8_t *to, size_t size)
{
	const bool v4 = c->kind == TCP_V4;
	const uint8_t *const addresses = to + c->ip + (v4 ? V4_ADDRESSES : V6_ADDRESSES);
	uint8_t rest[4] = { 0, TCP_PROTOCOL };
	uint64_t sum = checksum_add(0, addresses, v4 ? V4_ADDRESSES_BYTES : V6_ADDRESSES_BYTES);

	write_number(rest + 2, 2, (uint32_t)(size - c->tcp));
	write_number(to + c->tcp + TCP_SUM, 2, 0);
	sum = checksum_add(checksum_add(sum, rest, sizeof(rest)), to + c->tcp, size - c->tcp);
	checksum_write(sum, to + c->tcp + TCP_SUM);
}

static void write_piece(const struct cut *c, unsigned int number, uint8_t *to)
{
	const size_t size = cut_size(c, number);

	memcpy(to, c->bytes, c->headers);
	memcpy(to + c->headers, c->bytes + c->headers + number * c->payload, size - c->headers);
	if (c->kind == TCP_V4)
		write_v4(c, number, to + c->ip, size);
	else
		write_number(to + c->ip + V6_LENGTH, 2, (uint32_t)(size - c->ip - V6_BYTES));
	write_tcp(c, number, to + c->tcp);
	write_tcp_sum(c, to, size);
}

/* The guest has put the sum of the pseudo header into the checksum field, so it is added as one of the words. */
static void write_whole(const struct cut *c, uint8_t *to)
{
	memcpy(to, c->bytes, c->size);
	if (c->verified)
		checksum_write(checksum_add(0, to + c->sum_from, c->size - c->sum_from), to + c->sum_from + c->sum_at);
}

void cut_write(const struct cut *c, unsigned int number, uint8_t *to)
{
	if (c->kind == WHOLE)
		write_whole(c, to);
	else
		write_piece(c, number, to);
}
