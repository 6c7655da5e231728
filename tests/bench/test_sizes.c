#include "check.h"
#include "sizes.h"

static struct size_list list;
static char error[256];

static bool no_memory;

/* The library's own, which can be made to fail. */
char *strdup(const char *text)
{
	char *copy = no_memory ? NULL : malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

static bool parse(const char *text)
{
	static const struct size_plan fallback = { 0, 1000, 100 };

	return size_list_parse(text, &fallback, &list, error);
}

static void a_doubling_range_has_every_power_and_its_end(void **state)
{
	(void)state;
	assert_true(parse("1..1M*2"));
	assert_int_equal(list.count, 21);
	assert_int_equal(list.plans[20].size_bytes, 1 << 20);
	assert_int_equal(list.plans[20].iterations, 1000);
	assert_int_equal(size_list_largest(&list), 1 << 20);
}

static void a_stepping_range_stops_at_its_end(void **state)
{
	(void)state;
	assert_true(parse("16M..2144M+16M"));
	assert_int_equal(list.count, 134);
	assert_int_equal(list.plans[133].size_bytes, 2144ull << 20);
}

static void each_item_may_have_its_own_counts(void **state)
{
	(void)state;
	assert_true(parse("64@20,4K..8K*2@40/4,1G"));
	assert_int_equal(list.count, 4);
	assert_int_equal(list.plans[0].iterations, 20);
	assert_int_equal(list.plans[0].warmup, 100);
	assert_int_equal(list.plans[2].size_bytes, 8192);
	assert_int_equal(list.plans[2].warmup, 4);
	assert_int_equal(list.plans[3].size_bytes, 1ull << 30);
}

static void what_is_no_size_is_refused_with_the_item_quoted(void **state)
{
	static const char *const wrong[] = { "",
					     "0",
					     "x",
					     "1..2",
					     "4..2*2",
					     "1..8*1",
					     "1..8+0",
					     "1@0",
					     "1@",
					     "1@2/",
					     "64,",
					     "64,,65",
					     "1..8^2",
					     "-1",
					     "1.5",
					     "1 ",
					     " 1",
					     "9999999999999999999",
					     "9999999999G",
					     "1..1M+1",
					     "1..8*2x",
					     "64K64" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (parse(wrong[i]))
			fail_msg("'%s' was taken", wrong[i]);
		assert_non_null(strstr(error, "is not a size"));
	}
}

static void the_largest_range_does_not_run_over(void **state)
{
	(void)state;
	assert_true(parse("1..8191G*1") == false);
	assert_true(parse("4611686018427387904..9000000000000000000*2"));
	assert_int_equal(list.count, 1);
}

static void without_memory_there_is_a_sentence_too(void **state)
{
	bool good;

	(void)state;
	strcpy(error, "of an earlier list");
	no_memory = true;
	good = parse("64");
	no_memory = false;
	assert_false(good);
	assert_string_equal(error, "no memory to read them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_doubling_range_has_every_power_and_its_end),
		cmocka_unit_test(a_stepping_range_stops_at_its_end),
		cmocka_unit_test(each_item_may_have_its_own_counts),
		cmocka_unit_test(what_is_no_size_is_refused_with_the_item_quoted),
		cmocka_unit_test(the_largest_range_does_not_run_over),
		cmocka_unit_test(without_memory_there_is_a_sentence_too),
	};

	return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
