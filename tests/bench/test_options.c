/* Command lines and the errors that refuse them: {die,option_table,options,rule_table,rules,sizes}.c. */
#include "check.h"
#include "die.h"
#include "rules.h"

/* Options of a transport */
static uint64_t tx_depth, post_list, signal_every, mtu, operation;
static struct option_spec specs[] = {
	{ "operation", OPTION_WORD, &operation, "read", true, "write|read", "", 0, 0, NULL },
	{ "tx-depth", OPTION_NUMBER, &tx_depth, "128", true, NULL, "", 1, 1024, "requests" },
	{ "post-list", OPTION_NUMBER_OR_AUTO, &post_list, "auto", true, NULL, "", 1, 1024, NULL },
	{ "signal-every", OPTION_NUMBER_OR_AUTO, &signal_every, "auto", true, NULL, "", 1, 1024, NULL },
	{ "mtu", OPTION_NUMBER_OR_AUTO, &mtu, "auto", true, NULL, "", 256, 4096, NULL },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

struct call {
	char *line; /* words, with a single space between them */
	int status;
	const char *printed;
};

/* Parses the command line of a server, or of a client if it begins with that word, and prints the options. */
static void parse(void *line)
{
	char *words[16] = { strtok(strdup(line), " ") };
	const enum role role = strcmp(words[0], "client") == 0 ? CLIENT : SERVER;
	struct options *o;
	int count = 1;

	while ((words[count] = strtok(NULL, " ")))
		count++;
	die_name(words[0]);
	o = options_parse(count, words, role, specs);
	rules_check(o);
	say("measure %lu, wait %lu, %s, %zu sizes, %lu windows, listen %s, port %lu, iterations %lu, core %ld, host %s, "
	    "token %s",
	    o->measure, o->wait, o->verify ? "verify" : "trust", o->sizes.count, o->windows, o->listen, o->port,
	    o->iterations, (long)o->core, o->host ? o->host : "none", o->token);
}

static void expect_calls(const struct call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_child(parse, calls[i].line, calls[i].status, calls[i].printed);
}

TEST(options_have_their_values_or_defaults)
{
	static const struct call calls[] = {
		{ "server", 0, "measure 0, wait 0, trust, 21 sizes, 20 windows, listen 127.0.0.1, port 18600" },
		{ "client --measure=latency --wait event --verify --iterations 7 --core 3 there", 0,
		  "measure 1, wait 2, verify, 21 sizes, 20 windows, listen 127.0.0.1, port 18600, iterations 7, "
		  "core 3, host there" },
		{ "server --format columns", 0, "port 6666" }, /* the exercise's */
		{ "server --format columns 7000", 0, "port 7000" },
		{ "server --until-stable=1 --iterations=4", 0, "iterations 4" }, /* no windows to be filled */
		{ "server --signal-every 8 --post-list 4 --iterations 160 --mtu 1024 --wait event", 0, "" },
		{ "server --sizes 2G@4294967295/0", 0, "" },
		{ "server --measure latency --iterations 3", 0, "" },
	};

	expect_calls(calls, COUNT(calls));
}

TEST(the_token_comes_from_the_environment)
{
	setenv("LAB_TOKEN", "from-environment", 1);
	check_child(parse, "server", 0, "token from-environment\n");
	unsetenv("LAB_TOKEN");
}

TEST(invalid_values_are_refused_with_what_is_allowed)
{
	static const struct call calls[] = {
		{ "server --bogus 1", 2, "unknown option" },
		{ "server --measure speed", 2, "expected throughput|latency" },
		{ "server --iterations many", 2, "expected a whole number" },
		{ "server --iterations -1", 2, "expected a whole number" },
		{ "server --iterations 0", 2, "at least one message" },
		{ "server --until-stable 1.5", 2, "expected a whole number" },
		{ "server --until-stable 101", 2, "between 1 and 100 percent" },
		{ "server --format table", 2, "expected csv|columns" },
		{ "server --windows 5", 2, "at least 20 samples" },
		{ "server --port 70000", 2, "between 1 and 65535" },
		{ "server --deadline 0", 2, "between 1 and" },
		{ "server --least-time 3601", 2, "--least-time 3601: 0, or between 1 and 3600 seconds" },
		{ "server --rounds-cap 100001", 2, "between 2 and 100000 rounds" },
		{ "server --sizes 1..2", 2, "is not a size" },
		{ "server --core first", 2, "whole number or auto" },
		{ "server --mtu 300", 2, "--mtu: a power of two from 256 to 4096" },
		{ "server 7000 argument", 2, "unexpected argument" },
		{ "server first", 2, "'first' is not a port" },
		{ "server 0", 2, "between 1 and 65535" },
		{ "client", 2, "the host of the server is missing" },
	};

	expect_calls(calls, COUNT(calls));
}

/* Rules between options, at each size, by numbers, by their products, and by words. */
TEST(options_that_contradict_each_other_are_refused)
{
	static const struct call calls[] = {
		{ "server --iterations 10", 2, "can't fill 20 windows" },
		{ "server --until-stable=1 --measure=latency", 2, "it is for --measure throughput without --verify" },
		{ "server --until-stable=1 --verify", 2, "it is for --measure throughput without --verify" },
		{ "server --until-stable=1 --stable-window=1", 2, "between 2 and 1000 rounds" },
		{ "server --until-stable=1 --rounds-cap=4", 2, "between --stable-window (5) and" },
		{ "server --format=columns --measure=latency", 2, "no column for --measure latency" },
		{ "server --sizes 1,2@19/0", 2,
		  "--iterations: as many as 20 windows take: 19 messages of 2 bytes can't fill" },
		{ "server --sizes 4G@3000000000/0", 2,
		  "--iterations: messages of 4294967296 bytes that 64 bits can count" },
		{ "server --sizes 64@20/2000000000000", 2,
		  "at most 1000000000000 iterations and as many to warm up, of 64" },
		{ "server --least-time 1 --until-stable 1", 2, "--least-time: not with --verify or --until-stable" },
		{ "server --tx-depth 4 --post-list 8", 2, "--post-list: between 1 and --tx-depth (4), or" },
		{ "server --signal-every 6 --post-list 4", 2,
		  "--signal-every: it and --post-list (4): one must divide" },
		{ "server --iterations 79 --post-list 4", 2, "a list of 4 for each of 20 windows, at 1 bytes" },
		{ "server --iterations 79 --signal-every 4", 2, "a completion, one in 4, for each of 20 windows" },
		{ "server --measure latency --wait event --operation write", 2,
		  "--wait: a WRITE leaves no event at its target" },
	};

	expect_calls(calls, COUNT(calls));
}

/* sizes.c */

static struct size_list list;
static char error[256];
static bool no_memory;

char *strdup(const char *text)
{
	char *copy = no_memory ? NULL : malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

static bool parse_sizes(const char *text)
{
	static const struct size_plan fallback = { 0, 1000, 100 };

	return size_list_parse(text, &fallback, &list, error);
}

TEST(sizes_are_single_numbers_or_ranges_each_with_its_counts)
{
	static const struct {
		const char *text;
		size_t count, index;
		struct size_plan plan;
	} cases[] = {
		{ "1..1M*2", 21, 20, { 1 << 20, 1000, 100 } },
		{ "16M..2144M+16M", 134, 133, { 2144ull << 20, 1000, 100 } },
		{ "64@20,4K..8K*2@40/4,1G", 4, 0, { 64, 20, 100 } },
		{ "64@20,4K..8K*2@40/4,1G", 4, 2, { 8192, 40, 4 } },
		{ "64@20,4K..8K*2@40/4,1G", 4, 3, { 1 << 30, 1000, 100 } },
		{ "4611686018427387904..9000000000000000000*2", 1, 0, { 1ull << 62, 1000, 100 } }, /* no overflow */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(parse_sizes(cases[i].text));
		assert_int_equal(list.count, cases[i].count);
		assert_memory_equal(&list.plans[cases[i].index], &cases[i].plan, sizeof(cases[i].plan));
	}
	assert_int_equal(size_list_largest(&list), 1ull << 62);
}

TEST(a_text_that_is_no_size_is_quoted)
{
	static const char *const wrong[] = { "",          "0",
					     "x",         "1..2",
					     "4..2*2",    "1..8*1",
					     "1..8+0",    "1@0",
					     "1@",        "1@2/",
					     "64,",       "64,,65",
					     "1..8^2",    "-1",
					     "1.5",       "1 ",
					     " 1",        "9999999999G",
					     "1..1M+1",   "1..8*2x",
					     "64K64",     "9999999999999999999",
					     "1..8191G*1" };

	for (size_t i = 0; i < COUNT(wrong); i++) {
		if (parse_sizes(wrong[i]))
			fail_msg("'%s' was taken", wrong[i]);
		check_contains(error, "is not a size");
	}
	no_memory = true;
	assert_false(parse_sizes("64"));
	no_memory = false;
	assert_string_equal(error, "no memory to read them");
}

RUN_TESTS("options", NULL, NULL)
