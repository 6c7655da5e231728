/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "pages.h"

static char *written(void)
{
	static char text[1 << 16];
	FILE *const file = fmemopen(memset(text, 0, sizeof(text)), sizeof(text), "w");

	pages_write(file);
	fclose(file);
	return text;
}

static void an_instruction_has_one_count_wherever_it_is_asked_for(void **state)
{
	(void)state;
	pages_clear();
	*pages_count(0xffffffff81000010, NULL) += 3;
	*pages_count(0xffffffff81000010, NULL) += 4;
	*pages_count(0xffffffff81000fff, NULL) += 1;
	*pages_count(0xffffffff81001000, NULL) += 0;
	assert_string_equal(written(), "page ffffffff81000000 \n10 7\nfff 1\n");
}

static void pages_of_two_programs_at_one_address_are_two(void **state)
{
	uint8_t one[PAGE_BYTES] = { 0x90 }, other[PAGE_BYTES] = { 0xcc };
	uint64_t *const first = pages_count(0x5000, one);

	(void)state;
	pages_clear();
	assert_ptr_not_equal(first, pages_count(0x5000, other));
	assert_ptr_equal(first, pages_count(0x5000, one));
	*first = 2;
	assert_memory_equal(written(), "page 5000 9000", 14);
	assert_non_null(strstr(written(), "00\n0 2\n"));
	assert_null(strstr(written(), "cc"));
}

static void a_copy_begins_with_nothing_and_keeps_the_places(void **state)
{
	uint64_t *const count = pages_count(0xffffffff81000020, NULL);

	(void)state;
	*count = 9;
	pages_clear();
	assert_string_equal(written(), "");
	*count += 1;
	assert_string_equal(written(), "page ffffffff81000000 \n20 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_has_one_count_wherever_it_is_asked_for),
		cmocka_unit_test(pages_of_two_programs_at_one_address_are_two),
		cmocka_unit_test(a_copy_begins_with_nothing_and_keeps_the_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
