#include "check.h"
#include "clock.h"
#include "ticks.h"

#define SPAN_NS 20000000

static void name_clock_source(char *path, const char *name)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, name, strlen(name)), strlen(name));
	close(fd);
}

/* A while in ticks turned into ns lies between the two whiles by the clock that it is around and within. */
static void check_a_while(void)
{
	const uint64_t outer_ns = now_ns(), begin = ticks_now(), inner_ns = now_ns();
	uint64_t inner_end_ns, outer_end_ns;
	struct sample sample;

	while (now_ns() - inner_ns < SPAN_NS)
		;
	inner_end_ns = now_ns();
	sample = (struct sample){ 1, ticks_now() - begin };
	outer_end_ns = now_ns();
	ticks_to_ns(&sample, 1);
	assert_true(sample.time_ns >= (inner_end_ns - inner_ns) / 1000 * 999);
	assert_true(sample.time_ns <= (outer_end_ns - outer_ns) / 1000 * 1001);
}

static void a_counter_gives_the_clocks_ns(void **state)
{
	char path[] = "/tmp/lab-clock-XXXXXX";

	(void)state;
	name_clock_source(path, "tsc\n");
	assert_string_equal(ticks_choose(path), "tsc");
	check_a_while();
	unlink(path);
}

static void another_clock_source_or_none_leaves_the_clock(void **state)
{
	char path[] = "/tmp/lab-clock-XXXXXX";

	(void)state;
	name_clock_source(path, "hpet\n");
	assert_string_equal(ticks_choose(path), "clock");
	check_a_while();
	unlink(path);
	assert_string_equal(ticks_choose(path), "clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_gives_the_clocks_ns),
		cmocka_unit_test(another_clock_source_or_none_leaves_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
