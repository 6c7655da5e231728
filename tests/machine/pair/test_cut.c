/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "cut.h"
#include "wire.h"

enum {
	LARGEST = 66000,
	OPTIONS_BYTES = 12,
	TCP_BYTES = 20 + OPTIONS_BYTES,
	CWR = 0x80,
	PSH = 0x08,
	FIN = 0x01,
	ACK = 0x10
};

static uint8_t frame[LARGEST], piece[LARGEST];

static uint32_t number(const uint8_t *from, int bytes)
{
	return bytes ? number(from, bytes - 1) << 8 | from[bytes - 1] : 0;
}

/* RFC 1071 word by word: 0xffff for what is followed by its own checksum. */
static uint32_t sum(uint32_t start, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		start += (uint32_t)bytes[i] << (i % 2 ? 0 : 8);
	while (start >> 16)
		start = (start >> 16) + (start & 0xffff);
	return start;
}

/* A segment of TCP as Linux passes it to a card: with the sum of the pseudo header in place of the checksum. */
static size_t make(int version, size_t payload, uint8_t flags)
{
	const size_t ip = HEADER_BYTES, tcp = ip + (version == 4 ? 20 : 40), size = tcp + TCP_BYTES + payload;

	for (size_t i = 0; i < size; i++)
		frame[i] = (uint8_t)(i * 31 + i / 255);
	frame[12] = version == 4 ? 0x08 : 0x86;
	frame[13] = version == 4 ? 0x00 : 0xdd;
	frame[ip] = version == 4 ? 0x45 : 0x60;
	frame[ip + (version == 4 ? 9 : 6)] = 6;
	frame[tcp + 12] = TCP_BYTES / 4 << 4;
	frame[tcp + 13] = flags;
	return size;
}

static struct card_header header(int version, uint16_t payload)
{
	return (struct card_header){ .flags = WANTS_CHECKSUM,
				     .kind = version == 4 ? TCP_V4 : TCP_V6,
				     .payload = payload,
				     .sum_from = (uint16_t)(HEADER_BYTES + (version == 4 ? 20 : 40)),
				     .sum_at = 16 };
}

static void assert_right_headers(int version, size_t size, unsigned int n, size_t mss)
{
	const size_t ip = HEADER_BYTES, tcp = ip + (version == 4 ? 20 : 40);
	const uint32_t pseudo = 6 + (uint32_t)(size - tcp);

	if (version == 4) {
		assert_int_equal(number(piece + ip + 2, 2), size - ip);
		assert_int_equal(number(piece + ip + 4, 2), (number(frame + ip + 4, 2) + n) & 0xffff);
		assert_int_equal(sum(0, piece + ip, 20), 0xffff);
		assert_int_equal(sum(sum(pseudo, piece + ip + 12, 8), piece + tcp, size - tcp), 0xffff);
	} else {
		assert_int_equal(number(piece + ip + 4, 2), size - tcp);
		assert_int_equal(sum(sum(pseudo, piece + ip + 8, 32), piece + tcp, size - tcp), 0xffff);
	}
	assert_int_equal(number(piece + tcp + 4, 4), (uint32_t)(number(frame + tcp + 4, 4) + n * mss));
}

static void assert_cut(int version, size_t payload, uint16_t mss)
{
	const size_t size = make(version, payload, CWR | ACK | PSH | FIN), headers = size - payload;
	const struct card_header h = header(version, mss);
	size_t seen = 0;
	struct cut c;

	assert_true(cut_plan(&c, &h, frame, size));
	assert_true(c.verified);
	for (unsigned int n = 0; n < c.frames; n++) {
		const size_t bytes = cut_size(&c, n);
		const uint8_t flags = ACK | (n ? 0 : CWR) | (n + 1 < c.frames ? 0 : PSH | FIN);

		cut_write(&c, n, piece);
		assert_int_equal(piece[headers - TCP_BYTES + 13], flags);
		assert_right_headers(version, bytes, n, mss);
		assert_memory_equal(piece, frame, HEADER_BYTES);
		assert_memory_equal(piece + headers - OPTIONS_BYTES, frame + headers - OPTIONS_BYTES, OPTIONS_BYTES);
		assert_in_range(bytes - headers, 1, mss);
		assert_memory_equal(piece + headers, frame + headers + seen, bytes - headers);
		seen += bytes - headers;
	}
	assert_int_equal(seen, payload);
}

TEST(a_long_segment_becomes_frames_with_right_headers)
{
	for (int version = 4; version <= 6; version += 2) {
		assert_cut(version, 65000, 1448);
		assert_cut(version, 2 * 1448, 1448);
		assert_cut(version, 2 * 1448 + 1, 1448);
		assert_cut(version, 64999, 8948);
		assert_cut(version, 1, 1448);
		assert_cut(version, 301, 1);
	}
}

TEST(a_whole_frame_gets_its_checksum)
{
	const size_t tcp = HEADER_BYTES + 20, size = make(4, 333, ACK);
	const uint32_t pseudo = sum(6 + (uint32_t)(size - tcp), frame + HEADER_BYTES + 12, 8);
	struct card_header h = header(4, 0);
	struct cut c;

	h.kind = WHOLE;
	frame[tcp + 16] = (uint8_t)(pseudo >> 8);
	frame[tcp + 17] = (uint8_t)pseudo;
	assert_true(cut_plan(&c, &h, frame, size));
	assert_int_equal(c.frames, 1);
	assert_int_equal(cut_size(&c, 0), size);
	cut_write(&c, 0, piece);
	assert_int_equal(sum(pseudo, piece + tcp, size - tcp), 0xffff);
}

TEST(a_frame_that_asks_for_nothing_stays_as_it_is)
{
	const size_t size = make(4, 100, ACK);
	const struct card_header h = { .flags = 0 };
	struct cut c;

	assert_true(cut_plan(&c, &h, frame, size));
	assert_false(c.verified);
	cut_write(&c, 0, piece);
	assert_int_equal(cut_size(&c, 0), size);
	assert_memory_equal(piece, frame, size);
}

TEST(a_checksum_of_zero_is_written_as_its_other_form)
{
	const struct card_header h = { .flags = WANTS_CHECKSUM, .sum_from = 20, .sum_at = 2 };
	struct cut c;

	memset(frame, 0, 64);
	frame[20] = frame[21] = 0xff;
	assert_true(cut_plan(&c, &h, frame, 64));
	cut_write(&c, 0, piece);
	assert_int_equal(number(piece + 22, 2), 0xffff);
}

TEST(what_makes_no_sense_is_refused)
{
	const size_t size = make(4, 5000, ACK);
	const struct card_header good = header(4, 1448);
	struct card_header bad[8];
	struct cut c;

	assert_true(cut_plan(&c, &good, frame, size));
	for (size_t i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].payload = 0;
	bad[1].flags = 0;
	bad[2].kind = 3; /* UDP, which the card does not offer */
	bad[3].sum_from = 20;
	bad[4].sum_from = 65000;
	bad[5].sum_at = 6;
	bad[6].kind = TCP_V6;
	bad[7] = (struct card_header){ .flags = WANTS_CHECKSUM, .sum_from = (uint16_t)(size - 1) };
	for (size_t i = 0; i < 8; i++)
		assert_false(cut_plan(&c, &bad[i], frame, size));
	assert_false(cut_plan(&c, &good, frame, HEADER_BYTES + 30));
	assert_false(cut_plan(&c, &good, frame, 10));
	frame[HEADER_BYTES + 20 + 12] = 0xf0; /* options up to the last byte and beyond */
	assert_false(cut_plan(&c, &good, frame, HEADER_BYTES + 20 + 60));
	frame[HEADER_BYTES + 20 + 12] = 0x40;
	assert_false(cut_plan(&c, &good, frame, size));
}

/* Whatever a program of the guest passes to its card by a raw socket, nothing outside the frame is read or written. */
TEST(no_header_leads_outside_of_its_frame)
{
	uint64_t random = 1;
	struct cut c;

	for (int i = 0; i < 200000; i++) {
		struct card_header h;
		uint8_t *exact;
		size_t size;

		random = random * 6364136223846793005 + 1442695040888963407;
		size = (random >> 33) % 200;
		h = header(random >> 40 & 1 ? 4 : 6, (uint16_t)(random >> 41 & 63));
		h.kind = (uint8_t)(random >> 47 & 3 ? h.kind : random >> 49 & 7);
		h.sum_from = (uint16_t)(random >> 52 & 7 ? h.sum_from : random >> 55);
		make(4, 200, (uint8_t)random);
		frame[HEADER_BYTES] = (uint8_t)(random >> 32 & 1 ? 0x45 : random >> 20);
		frame[(random >> 10) % 100] = (uint8_t)(random >> 22);
		exact = malloc(size + 1);
		memcpy(exact, frame, size);
		if (cut_plan(&c, &h, exact, size))
			for (unsigned int n = 0; n < c.frames; n++)
				cut_write(&c, n, piece);
		free(exact);
	}
}

RUN_TESTS("cut", NULL, NULL)
