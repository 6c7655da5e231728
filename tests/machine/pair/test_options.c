/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "options.h"

static bool read_words(struct options *o, const char *first, const char *second)
{
	char *words[] = { (char *)first, (char *)second };

	return options_read(o, second ? 2 : 1, words);
}

static void a_machine_without_an_end_is_no_part_of_a_pair(void **state)
{
	struct options o;

	(void)state;
	assert_true(options_read(&o, 0, NULL));
	assert_null(o.end);
}

static void numbers_and_paths_are_taken_by_name(void **state)
{
	struct options o;

	(void)state;
	assert_true(read_words(&o, "rate=100000000000", "end=1"));
	assert_int_equal(o.rate_bit_s, 100000000000);
	assert_string_equal(o.end, "1");
	free((char *)o.end);
	assert_true(read_words(&o, "processor=2", NULL));
	assert_int_equal(o.processor, 2);
	assert_true(read_words(&o, "shared=/proc/self/fd/3", "latency=500"));
	assert_string_equal(o.shared, "/proc/self/fd/3");
	assert_int_equal(o.latency_ns, 500);
	free((char *)o.shared);
}

static void what_is_unknown_or_impossible_is_refused(void **state)
{
	static const char *const refused[] = { "speed=1",  "rate",  "rate=fast", "rate=-1",
					       "rate=1e9", "rat=1", "rates=1",   "rate=99999999999999999999" };
	struct options o;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(read_words(&o, refused[i], NULL));
	assert_false(read_words(&o, "latency=0", "end=0"));
	free((char *)o.end);
	assert_false(read_words(&o, "end=2", NULL));
	free((char *)o.end);
}

static void a_line_changes_what_it_names_and_nothing_else(void **state)
{
	char line[] = "rate=1000,mtu=1500", wrong[] = "rate=1000,speed=1";
	struct options o;

	(void)state;
	assert_true(read_words(&o, "seed=7", "rate=5"));
	assert_true(options_change(&o, line));
	assert_int_equal(o.rate_bit_s, 1000);
	assert_int_equal(o.mtu_bytes, 1500);
	assert_int_equal(o.seed, 7);
	assert_false(options_change(&o, wrong));
}

static void what_a_card_is_told_is_kept_as_it_is(void **state)
{
	char line[] = "card=5,card_gap_ps=100,rate=3,card_any=x", long_line[2 * CARD_WORDS_BYTES] = "card_";
	struct options o;

	(void)state;
	assert_true(options_read(&o, 0, NULL));
	assert_string_equal(o.card_words, "");
	assert_true(options_change(&o, line));
	assert_int_equal(o.card, 5);
	assert_string_equal(o.card_words, "card_gap_ps=100,card_any=x,");
	memset(long_line + 5, 'x', CARD_WORDS_BYTES);
	long_line[CARD_WORDS_BYTES] = '=';
	assert_false(options_change(&o, long_line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_card_is_told_is_kept_as_it_is),
		cmocka_unit_test(a_machine_without_an_end_is_no_part_of_a_pair),
		cmocka_unit_test(numbers_and_paths_are_taken_by_name),
		cmocka_unit_test(what_is_unknown_or_impossible_is_refused),
		cmocka_unit_test(a_line_changes_what_it_names_and_nothing_else),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
