/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "pages.h"
#include "polls.h"

static char *written(void)
{
	static char text[1 << 16];
	FILE *const file = fmemopen(memset(text, 0, sizeof(text)), sizeof(text), "w");

	pages_write(file);
	fclose(file);
	return text;
}

TEST(an_instruction_has_one_count_wherever_it_is_asked_for)
{
	pages_clear();
	pages_count(0xffffffff81000010, NULL)->begun += 3;
	pages_count(0xffffffff81000010, NULL)->begun += 4;
	pages_count(0xffffffff81000fff, NULL)->begun += 1;
	pages_count(0xffffffff81001000, NULL)->begun += 0;
	assert_string_equal(written(), "page ffffffff81000000 \n10 7\nfff 1\n");
}

TEST(pages_of_two_programs_at_one_address_are_two)
{
	uint8_t one[PAGE_BYTES] = { 0x90 }, other[PAGE_BYTES] = { 0xcc };
	struct count *const first = pages_count(0x5000, one);

	pages_clear();
	assert_ptr_not_equal(first, pages_count(0x5000, other));
	assert_ptr_equal(first, pages_count(0x5000, one));
	first->begun = 2;
	assert_memory_equal(written(), "page 5000 9000", 14);
	assert_non_null(strstr(written(), "00\n0 2\n"));
	assert_null(strstr(written(), "cc"));
}

TEST(a_copy_begins_with_nothing_and_keeps_the_places)
{
	struct count *const count = pages_count(0xffffffff81000020, NULL);

	count->begun = 9;
	pages_clear();
	assert_string_equal(written(), "");
	count->begun += 1;
	assert_string_equal(written(), "page ffffffff81000000 \n20 1\n");
}

TEST(only_polls_that_found_nothing_are_in_vain)
{
	struct count *const poll = pages_count(0xffffffff81000010, NULL), *const work = poll + 1;

	pages_clear();
	polls_count(work); /* before any poll */
	for (int i = 0; i < 5; i++) {
		polls_begin();
		polls_count(poll);
		if (i < 4)
			polls_were_in_vain();
		polls_count(work); /* with what was found, or between two polls */
	}
	assert_string_equal(written(), "page ffffffff81000000 \n10 5 4\n11 6\n");
}

RUN_TESTS("tests", NULL, NULL)
