#include <sys/resource.h>
#include <time.h>

#include "check.h"
#include "clock.h"
#include "processor.h"

/* What the kernel says of this program, as a test sets it. */
static struct timespec whole;
static struct timeval kernel;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	*time = clock == CLOCK_PROCESS_CPUTIME_ID ? whole : (struct timespec){ 0 };
	return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	*usage = (struct rusage){ .ru_stime = who == RUSAGE_SELF ? kernel : (struct timeval){ 0 } };
	return 0;
}

static void spend(long whole_ns, long kernel_us)
{
	whole.tv_nsec += whole_ns;
	kernel.tv_usec += kernel_us;
}

static void assert_times(struct processor_time found, uint64_t whole_ns, uint64_t kernel_ns)
{
	assert_int_equal(found.whole_ns, whole_ns);
	assert_int_equal(found.kernel_ns, kernel_ns);
}

static int begin(void **state)
{
	(void)state;
	whole = (struct timespec){ 3, 5 };
	kernel = (struct timeval){ 2, 7 };
	return 0;
}

static void seconds_and_their_parts_are_nanoseconds(void **state)
{
	(void)state;
	assert_times(processor_now(), 3000000005, 2000007000);
}

static void only_what_comes_after_a_reading_is_added(void **state)
{
	struct processor_time then = processor_now(), sum = { 100, 10 };

	(void)state;
	spend(9000, 4);
	processor_add_since(&sum, &then);
	assert_times(sum, 9100, 4010);
	processor_add(&sum, &(struct processor_time){ 1, 2 });
	assert_times(sum, 9101, 4012);
}

static void a_tick_in_one_of_many_short_times_is_not_lost(void **state)
{
	struct processor_time then, sum = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		then = processor_now();
		spend(9000, i == 500 ? 4000 : 0);
		processor_add_since(&sum, &then);
	}
	assert_times(sum, 9000000, 4000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(seconds_and_their_parts_are_nanoseconds, begin),
		cmocka_unit_test_setup(only_what_comes_after_a_reading_is_added, begin),
		cmocka_unit_test_setup(a_tick_in_one_of_many_short_times_is_not_lost, begin),
	};

	return cmocka_run_group_tests_name("processor", tests, NULL, NULL);
}
