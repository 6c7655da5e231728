/* Parts without a link: {pattern,stable,ticks}.c and CPU times. */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"
#include "clock.h"
#include "pattern.h"
#include "processor.h"
#include "stable.h"
#include "ticks.h"

/* pattern.c */

static unsigned char bytes[100];

TEST(a_filled_buffer_of_any_size_passes)
{
	for (uint64_t size = 1; size < sizeof(bytes); size++) {
		bytes[size] = 0xee;
		pattern_fill(bytes, size, 7, 3);
		assert_true(pattern_check(bytes, size, 7, 3) == PATTERN_GOOD);
		assert_int_equal(bytes[size], 0xee); /* no byte after the buffer is written */
	}
}

TEST(a_wrong_byte_is_found_wherever_it_is)
{
	for (uint64_t at = 0; at < sizeof(bytes); at++) {
		pattern_fill(bytes, sizeof(bytes), 7, 3);
		bytes[at] ^= 1;
		assert_int_equal(pattern_check(bytes, sizeof(bytes), 7, 3), at);
	}
}

TEST(the_bytes_of_another_message_or_seed_do_not_pass)
{
	pattern_fill(bytes, sizeof(bytes), 7, 3);
	assert_true(pattern_check(bytes, sizeof(bytes), 7, 4) < 8);
	assert_true(pattern_check(bytes, sizeof(bytes), 8, 3) < 8);
}

/* The two ends may be CPUs of different byte orders. */
TEST(the_pattern_is_the_same_on_every_cpu)
{
	static const unsigned char expected[] = { 0xbd, 0x3a, 0x7d, 0x88, 0x15, 0xc3, 0x67, 0xd7, 0x02, 0x12, 0x8c };

	pattern_fill(bytes, sizeof(expected), 7, 3);
	assert_memory_equal(bytes, expected, sizeof(expected));
}

/* CPU times of the kernel, as a test sets them */

static struct timespec whole;
static struct timeval kernel;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_PROCESS_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, clock, time);
	*time = whole;
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

static void assert_times(struct processor_time time, uint64_t whole_ns, uint64_t kernel_ns)
{
	assert_int_equal(time.whole_ns, whole_ns);
	assert_int_equal(time.kernel_ns, kernel_ns);
}

TEST(cpu_times_are_added_up_in_nanoseconds)
{
	struct processor_time then, sum = { 100, 10 };

	whole = (struct timespec){ 3, 5 };
	kernel = (struct timeval){ 2, 7 };
	then = processor_now();
	assert_times(then, 3000000005, 2000007000);
	spend(9000, 4);
	processor_add_since(&sum, &then);
	assert_times(sum, 9100, 4010);
	processor_add(&sum, &(struct processor_time){ 1, 2 });
	assert_times(sum, 9101, 4012);
}

TEST(a_tick_of_the_kernel_in_one_of_many_short_times_is_not_lost)
{
	struct processor_time then, sum = { 0 };

	whole.tv_nsec = kernel.tv_usec = 0;
	for (int i = 0; i < 1000; i++) {
		then = processor_now();
		spend(9000, i == 500 ? 4000 : 0);
		processor_add_since(&sum, &then);
	}
	assert_times(sum, 9000000, 4000000);
}

/* stable.c */

#define GOLDEN "../../tests/data/until_stable.txt" /* from code/bench, where make runs the tests */
#define VALUES_MAX 32

/* A line has a name, per cent, window, cap, the expected state and count, and the values. */
static void judge(const char *line)
{
	static const char *const states[] = { "go_on", "reached", "not_reached" };
	double values[VALUES_MAX], percent;
	struct stable_rule rule;
	char name[32], expected[16], *end;
	unsigned long expected_count;
	enum stable_state state = STABLE_GO_ON;
	uint64_t n = 0, count = 0;
	int length;

	assert_int_equal(sscanf(line, "%31s %lf %lu %lu %15s %lu %n", name, &percent, &rule.window, &rule.cap, expected,
				&expected_count, &length),
			 6);
	rule.target = percent / 100;
	for (const char *text = line + length; count < VALUES_MAX; count++, text = end) {
		values[count] = strtod(text, &end);
		if (end == text)
			break;
	}
	while (n < count && state == STABLE_GO_ON)
		state = stable_decide(&rule, values, ++n);
	if (strcmp(states[state], expected) != 0 || n != expected_count)
		fail_msg("%s: %s after %lu", name, states[state], n);
}

TEST(golden_series_settle_where_expected)
{
	FILE *file = fopen(GOLDEN, "r");
	char line[512];
	int series = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (*line != '#') {
			judge(line);
			series++;
		}
	fclose(file);
	assert_in_range(series, 10, 100);
}

/* ticks.c */

#define SPAN_NS 20000000

/* A duration in ticks, converted to ns, is between two durations of the clock: a shorter and a longer one. */
static void expect_scaled_ticks(void)
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
	assert_in_range(sample.time_ns, (inner_end_ns - inner_ns) / 1000 * 999,
			(outer_end_ns - outer_ns) / 1000 * 1001);
}

TEST(the_tsc_is_used_only_where_it_is_the_clock_source)
{
	static const char *const sources[][2] = { { "tsc\n", "tsc" }, { "hpet\n", "clock" } };
	char path[] = "/tmp/lab-clock-XXXXXX";
	FILE *file;

	close(mkstemp(path));
	for (size_t i = 0; i < COUNT(sources); i++) {
		assert_non_null(file = fopen(path, "w"));
		fputs(sources[i][0], file);
		fclose(file);
		assert_string_equal(ticks_choose(path), sources[i][1]);
		expect_scaled_ticks();
	}
	unlink(path);
	assert_string_equal(ticks_choose(path), "clock");
}

RUN_TESTS("small", NULL, NULL)
