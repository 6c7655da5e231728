#include "check.h"
#include "stable.h"

#define GOLDEN "../../tests/data/until_stable.txt" /* as seen from code/bench, where make runs the tests */
#define VALUES_MAX 32

/* Where the rule stops when it is asked after every value, as the engine does. */
static enum stable_state stop_at(const struct stable_rule *rule, const double *values, uint64_t count, uint64_t *n)
{
	enum stable_state state = STABLE_GO_ON;

	for (*n = 0; *n < count && state == STABLE_GO_ON;)
		state = stable_decide(rule, values, ++*n);
	return state;
}

static uint64_t read_values(const char *text, double *values)
{
	uint64_t count = 0;
	char *end;

	for (; count < VALUES_MAX; count++, text = end) {
		values[count] = strtod(text, &end);
		if (end == text)
			break;
	}
	return count;
}

static void judge(const char *line)
{
	static const char *const words[] = { "go_on", "reached", "not_reached" };
	double values[VALUES_MAX], percent;
	struct stable_rule rule;
	char name[32], state[16];
	unsigned long wanted;
	uint64_t n, count;
	int length;

	assert_int_equal(sscanf(line, "%31s %lf %lu %lu %15s %lu %n", name, &percent, &rule.window, &rule.cap, state,
				&wanted, &length),
			 6);
	rule.target = percent / 100;
	count = read_values(line + length, values);
	if (strcmp(words[stop_at(&rule, values, count, &n)], state) != 0 || n != wanted)
		fail_msg("%s: stopped after %lu", name, n);
}

static void golden_series_are_judged_as_written(void **state)
{
	FILE *file = fopen(GOLDEN, "r");
	char line[512];
	int series = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		judge(line);
		series++;
	}
	fclose(file);
	assert_true(series >= 10 && series <= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(golden_series_are_judged_as_written) };

	return cmocka_run_group_tests_name("stable", tests, NULL, NULL);
}
