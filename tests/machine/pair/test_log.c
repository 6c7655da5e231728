/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "log.h"

static uint32_t words[256];
static char path[] = "/tmp/pair-log-XXXXXX";

static int make(void **state)
{
	const int file = mkstemp(path);

	(void)state;
	return file < 0 ? -1 : close(file);
}

static int unmake(void **state)
{
	(void)state;
	return unlink(path);
}

static size_t logged(void)
{
	FILE *const file = fopen(path, "r");
	const size_t count = fread(words, sizeof(*words), sizeof(words) / sizeof(*words), file);

	fclose(file);
	return count;
}

/* The words of a block, its size at both ends. */
static const uint32_t *block(const uint32_t *from, uint32_t kind)
{
	assert_int_equal(from[0], kind);
	assert_int_equal(from[from[1] / 4 - 1], from[1]);
	return from + 2;
}

static const uint32_t *after(const uint32_t *block_words)
{
	return block_words - 2 + block_words[-1] / 4;
}

static void a_log_has_times_directions_lengths_and_first_bytes(void **state)
{
	const int64_t now = 26500000123456789;
	uint8_t frame[1514];
	const uint32_t *b;
	FILE *log;

	(void)state;
	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	assert_true(log_open(&log, path, "link"));
	log_frame(log, now, OUT, frame, sizeof(frame), "lost");
	log_frame(log, now + 1, IN, frame, 61, NULL);
	fclose(log);
	logged();
	b = block(words, 0x0a0d0d0a);
	assert_int_equal(b[0], 0x1a2b3c4d);
	b = block(after(b), 1);
	assert_int_equal(b[1], LOG_BYTES);
	assert_int_equal(b[4], 9 | 1 << 16); /* times are in units of 10^-9 s */
	assert_int_equal(b[5], 9);
	b = block(after(b), 6);
	assert_int_equal((int64_t)((uint64_t)b[1] << 32 | b[2]), now);
	assert_int_equal(b[3], LOG_BYTES);
	assert_int_equal(b[4], sizeof(frame));
	assert_memory_equal(b + 5, frame, LOG_BYTES);
	assert_int_equal(b[5 + LOG_BYTES / 4], 2 | 4 << 16);
	assert_int_equal(b[6 + LOG_BYTES / 4], OUT);
	assert_int_equal(b[7 + LOG_BYTES / 4], 1 | 4 << 16);
	assert_memory_equal(b + 8 + LOG_BYTES / 4, "lost", 4);
	b = block(after(b), 6);
	assert_int_equal(b[3], 61);
	assert_memory_equal(b + 5, frame, 61);
	assert_int_equal(b[6 + 64 / 4], IN);
	assert_ptr_equal(after(b), words + logged());
}

static void a_log_that_cannot_be_written_is_no_log(void **state)
{
	FILE *log;

	(void)state;
	assert_false(log_open(&log, "/nowhere/log", "link"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_has_times_directions_lengths_and_first_bytes),
		cmocka_unit_test(a_log_that_cannot_be_written_is_no_log),
	};

	return cmocka_run_group_tests_name("log", tests, make, unmake);
}
