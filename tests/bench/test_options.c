/* Command lines, and the sentences that refuse them: option_table.c, rules.c, die.c. */
#include "check.h"
#include "die.h"
#include "rules.h"

struct call {
	char *words[16];
	enum role role;
	void (*then)(const struct options *);
};

/* As a transport brings them along. */
static uint64_t tx_depth, post_list, signal_every, mtu, operation;
static struct option_spec own_options[] = {
	{ "operation", OPTION_WORD, &operation, "read", true, "write|read", "", 0, 0, NULL },
	{ "tx-depth", OPTION_NUMBER, &tx_depth, "128", true, NULL, "", 1, 1024, "requests" },
	{ "post-list", OPTION_NUMBER_OR_AUTO, &post_list, "auto", true, NULL, "", 1, 1024, NULL },
	{ "signal-every", OPTION_NUMBER_OR_AUTO, &signal_every, "auto", true, NULL, "", 1, 1024, NULL },
	{ "mtu", OPTION_NUMBER_OR_AUTO, &mtu, "auto", true, NULL, "", 256, 4096, NULL },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

static void parse_and_check(void *argument)
{
	struct call *call = argument;
	struct options *o;
	int count = 0;

	while (call->words[count])
		count++;
	die_name(call->words[0]);
	o = options_parse(count, call->words, call->role, own_options);
	rules_check(o);
	if (call->then)
		call->then(o);
}

static char said[4096];

static int run(struct call call)
{
	return in_child(parse_and_check, &call, said, sizeof(said));
}

static void expect(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "%s\n", what);
		_exit(99);
	}
}

static void see_defaults(const struct options *o)
{
	expect(o->measure == THROUGHPUT && o->wait == WAIT_POLL, "words");
	expect(o->sizes.count == 21 && o->windows == 20, "numbers");
	expect(strcmp(o->listen, "127.0.0.1") == 0, "listens on loopback");
}

static void defaults_are_what_help_says(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "server" }, SERVER, see_defaults }), 0);
}

static void see_given(const struct options *o)
{
	expect(o->measure == LATENCY && o->wait == WAIT_EVENT && o->verify, "words and flag");
	expect(o->iterations == 7 && o->core == 3 && strcmp(o->host, "there") == 0, "numbers and host");
}

static void given_options_win(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "client", "--measure=latency", "--wait", "event", "--verify",
					      "--iterations", "7", "--core", "3", "there" },
					    CLIENT,
					    see_given }),
			 0);
}

static void what_cannot_be_is_refused_with_a_sentence(void **state)
{
	static const struct {
		char *option, *value;
		const char *sentence;
	} wrong[] = {
		{ "--bogus", "1", "not known" },
		{ "--measure", "speed", "expected throughput|latency" },
		{ "--iterations", "many", "expected a whole number" },
		{ "--iterations", "-1", "expected a whole number" },
		{ "--iterations", "0", "at least one message" },
		{ "--iterations", "10", "can't fill 20 windows" },
		{ "--until-stable", "1.5", "expected a whole number" },
		{ "--until-stable", "101", "between 1 and 100 percent" },
		{ "--until-stable=1", "--measure=latency", "it is for --measure throughput without --verify" },
		{ "--until-stable=1", "--verify", "it is for --measure throughput without --verify" },
		{ "--until-stable=1", "--stable-window=1", "between 2 and 1000 rounds" },
		{ "--until-stable=1", "--rounds-cap=4", "between --stable-window (5) and" },
		{ "--format", "table", "expected csv|columns" },
		{ "--format=columns", "--measure=latency", "no column for --measure latency" },
		{ "--windows", "5", "at least 20 samples" },
		{ "--port", "70000", "between 1 and 65535" },
		{ "--deadline", "0", "between 1 and" },
		{ "--least-time", "3601", "--least-time 3601: 0, or between 1 and 3600 seconds" },
		{ "--rounds-cap", "100001", "between 2 and 100000 rounds" },
		{ "--sizes", "1..2", "is not a size" },
		{ "--core", "first", "whole number or auto" },
		{ "7000", "argument", "unexpected argument" },
		{ "first", "argument", "'first' is no port" },
		{ "0", NULL, "between 1 and 65535" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(run((struct call){ { "server", wrong[i].option, wrong[i].value }, SERVER, NULL }), 2);
		if (!strstr(said, wrong[i].sentence))
			fail_msg("%s %s: said '%s'", wrong[i].option, wrong[i].value, said);
	}
}

/* A rule between two options, at each size, by numbers, by their products, and by words. */
static void what_cannot_be_together_is_refused(void **state)
{
	static const struct {
		char *words[6];
		const char *sentence;
	} wrong[] = {
		{ { "--sizes", "1,2@19/0" },
		  "--iterations: as many as 20 windows take: 19 messages of 2 bytes can't fill" },
		{ { "--sizes", "4G@3000000000/0" },
		  "--iterations: messages of 4294967296 bytes that 64 bits can count" },
		{ { "--sizes", "64@20/2000000000000" },
		  "at most 1000000000000 iterations and as many to warm up, of 64" },
		{ { "--least-time", "1", "--until-stable", "1" }, "--least-time: not with --verify or --until-stable" },
		{ { "--tx-depth", "4", "--post-list", "8" }, "--post-list: between 1 and --tx-depth (4), or" },
		{ { "--signal-every", "6", "--post-list", "4" },
		  "--signal-every: it and --post-list (4): one must divide" },
		{ { "--iterations", "79", "--post-list", "4" }, "a list of 4 for each of 20 windows, at 1 bytes" },
		{ { "--iterations", "79", "--signal-every", "4" }, "a completion, one in 4, for each of 20 windows" },
		{ { "--mtu", "300" }, "--mtu: a power of two from 256 to 4096" },
		{ { "--measure", "latency", "--wait", "event", "--operation", "write" },
		  "--wait: a WRITE leaves no event at its target" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct call call = { { "server" }, SERVER, NULL };

		memcpy(call.words + 1, wrong[i].words, sizeof(wrong[i].words));
		assert_int_equal(run(call), 2);
		if (!strstr(said, wrong[i].sentence))
			fail_msg("%s: said '%s'", wrong[i].words[1], said);
	}
}

static void what_can_be_together_is_taken(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "server", "--signal-every", "8", "--post-list", "4", "--iterations",
					      "160", "--mtu", "1024", "--measure", "throughput", "--wait", "event" },
					    SERVER,
					    NULL }),
			 0);
	assert_int_equal(run((struct call){ { "server", "--sizes", "2G@4294967295/0" }, SERVER, NULL }), 0);
	assert_int_equal(run((struct call){ { "server", "--measure", "latency", "--iterations", "3" }, SERVER, NULL }),
			 0);
}

static void a_client_needs_a_host(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "client" }, CLIENT, NULL }), 2);
	assert_non_null(strstr(said, "name the server's host"));
}

static void see_lab_port(const struct options *o)
{
	expect(o->port == 18600, "the lab's port");
}

static void see_exercise_port(const struct options *o)
{
	expect(o->port == 6666, "the exercise's port");
}

static void see_given_port(const struct options *o)
{
	expect(o->port == 7000, "the given port");
}

static void a_server_takes_its_port_as_the_format_or_the_argument_says(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "server" }, SERVER, see_lab_port }), 0);
	assert_int_equal(run((struct call){ { "server", "--format", "columns" }, SERVER, see_exercise_port }), 0);
	assert_int_equal(run((struct call){ { "server", "--format", "columns", "7000" }, SERVER, see_given_port }), 0);
}

static void rounds_need_not_fill_windows(void **state)
{
	(void)state;
	assert_int_equal(run((struct call){ { "server", "--until-stable=1", "--iterations=4" }, SERVER, NULL }), 0);
}

static void see_token(const struct options *o)
{
	expect(strcmp(o->token, "from-environment") == 0, "token");
}

static void the_token_comes_from_the_environment(void **state)
{
	(void)state;
	setenv("LAB_TOKEN", "from-environment", 1);
	assert_int_equal(run((struct call){ { "server" }, SERVER, see_token }), 0);
	unsetenv("LAB_TOKEN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_what_help_says),
		cmocka_unit_test(given_options_win),
		cmocka_unit_test(what_cannot_be_is_refused_with_a_sentence),
		cmocka_unit_test(what_cannot_be_together_is_refused),
		cmocka_unit_test(what_can_be_together_is_taken),
		cmocka_unit_test(a_client_needs_a_host),
		cmocka_unit_test(a_server_takes_its_port_as_the_format_or_the_argument_says),
		cmocka_unit_test(rounds_need_not_fill_windows),
		cmocka_unit_test(the_token_comes_from_the_environment),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
