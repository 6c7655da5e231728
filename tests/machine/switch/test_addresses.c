/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "addresses.h"
#include "check.h"

static struct addresses known;

static int empty(void **state)
{
	(void)state;
	known = (struct addresses){ 0 };
	return 0;
}

static const uint8_t *address(int number)
{
	static uint8_t bytes[ADDRESS_BYTES] = { 2 };

	bytes[4] = (uint8_t)(number >> 8);
	bytes[5] = (uint8_t)number;
	return bytes;
}

static void an_address_is_where_it_was_seen_last(void **state)
{
	(void)state;
	assert_int_equal(addresses_find(&known, address(1)), EVERYWHERE);
	addresses_learn(&known, address(1), 2);
	addresses_learn(&known, address(2), 0);
	assert_int_equal(addresses_find(&known, address(1)), 2);
	assert_int_equal(addresses_find(&known, address(2)), 0);
	addresses_learn(&known, address(1), 3);
	assert_int_equal(addresses_find(&known, address(1)), 3);
	assert_int_equal(known.count, 2);
}

static void a_group_is_everywhere_even_if_a_frame_says_that_it_came_from_one(void **state)
{
	const uint8_t all[ADDRESS_BYTES] = { 255, 255, 255, 255, 255, 255 };

	(void)state;
	addresses_learn(&known, all, 1);
	assert_int_equal(addresses_find(&known, all), EVERYWHERE);
	assert_int_equal(known.count, 0);
}

static void one_address_too_many_is_not_learned_and_the_others_stay(void **state)
{
	(void)state;
	for (int i = 0; i <= MOST_ADDRESSES; i++)
		addresses_learn(&known, address(i), i % 5);
	assert_int_equal(addresses_find(&known, address(MOST_ADDRESSES)), EVERYWHERE);
	for (int i = 0; i < MOST_ADDRESSES; i++)
		assert_int_equal(addresses_find(&known, address(i)), i % 5);
	addresses_learn(&known, address(7), 4);
	assert_int_equal(addresses_find(&known, address(7)), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_address_is_where_it_was_seen_last, empty),
		cmocka_unit_test_setup(a_group_is_everywhere_even_if_a_frame_says_that_it_came_from_one, empty),
		cmocka_unit_test_setup(one_address_too_many_is_not_learned_and_the_others_stay, empty),
	};

	return cmocka_run_group_tests_name("addresses", tests, NULL, NULL);
}
