#include "check.h"
#include "pattern.h"

static unsigned char bytes[100];

static void what_was_filled_is_found_good(void **state)
{
	(void)state;
	for (uint64_t size = 1; size <= sizeof(bytes); size++) {
		pattern_fill(bytes, size, 7, 3);
		assert_true(pattern_check(bytes, size, 7, 3) == PATTERN_GOOD);
	}
}

static void every_single_wrong_byte_is_found_at_its_place(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < sizeof(bytes); at++) {
		pattern_fill(bytes, sizeof(bytes), 7, 3);
		bytes[at] ^= 1;
		assert_int_equal(pattern_check(bytes, sizeof(bytes), 7, 3), at);
	}
}

static void another_message_or_seed_does_not_pass(void **state)
{
	(void)state;
	pattern_fill(bytes, sizeof(bytes), 7, 3);
	assert_true(pattern_check(bytes, sizeof(bytes), 7, 4) < 8);
	assert_true(pattern_check(bytes, sizeof(bytes), 8, 3) < 8);
}

static void nothing_is_written_past_the_end(void **state)
{
	(void)state;
	bytes[13] = 0xee;
	pattern_fill(bytes, 13, 1, 1);
	assert_int_equal(bytes[13], 0xee);
}

/* The two ends may be processors of different byte orders. */
static void the_bytes_are_the_same_on_every_processor(void **state)
{
	static const unsigned char expected[] = { 0xbd, 0x3a, 0x7d, 0x88, 0x15, 0xc3, 0x67, 0xd7, 0x02, 0x12, 0x8c };

	(void)state;
	pattern_fill(bytes, sizeof(expected), 7, 3);
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_true(pattern_check(expected, sizeof(expected), 7, 3) == PATTERN_GOOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_filled_is_found_good),
		cmocka_unit_test(every_single_wrong_byte_is_found_at_its_place),
		cmocka_unit_test(another_message_or_seed_does_not_pass),
		cmocka_unit_test(nothing_is_written_past_the_end),
		cmocka_unit_test(the_bytes_are_the_same_on_every_processor),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
