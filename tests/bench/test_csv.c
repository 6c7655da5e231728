#include "check.h"
#include "csv.h"
#include "die.h"

static const struct flow flow = { .size_bytes = 64, .iterations = 40, .operations = 1 };

static void write_all(void *argument)
{
	(void)argument;
	dup2(STDERR_FILENO, STDOUT_FILENO);
	csv_begin();
	csv_note("path_mtu", "%u", 4096u);
	csv_header();
	csv_flow(&flow);
	csv_row(&flow, "window", 0, (struct sample){ 2, 1000 });
	csv_row(&flow, "completed", 0, (struct sample){ 40, 20000 });
	csv_end();
}

static void rows_are_integers_and_the_last_line_counts_them(void **state)
{
	char said[4096];

	(void)state;
	die_name("/usr/bin/verbs-client");
	assert_int_equal(in_child(write_all, NULL, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "# program=verbs-client\n"));
	assert_non_null(strstr(said, "# path_mtu=4096\n"));
	assert_non_null(strstr(said, "\nsize_bytes,sample,index,messages,bytes,time_ns\n"));
	assert_non_null(strstr(said, "\n64,window,0,2,128,1000\n64,completed,0,40,2560,20000\n# end rows=2\n"));
}

static void write_to_a_full_disk(void *argument)
{
	(void)argument;
	assert_non_null(freopen("/dev/full", "w", stdout));
	csv_header();
	csv_end();
}

static void a_full_disk_is_an_error(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(in_child(write_to_a_full_disk, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "can't write the samples"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_integers_and_the_last_line_counts_them),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
