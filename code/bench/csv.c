#include "csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "die.h"

static uint64_t rows;

static void note_option(const char *key, const char *value, bool shared, void *context)
{
	(void)shared;
	(void)context;
	printf("# %s=%s\n", key, value);
}

void csv_begin(void)
{
	printf("# lab-bench 1\n# program=%s\n", die_program());
	options_each(note_option, NULL);
}

void csv_note(const char *key, const char *format, ...)
{
	va_list arguments;

	printf("# %s=", key);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

void csv_header(void)
{
	printf("size_bytes,sample,index,messages,bytes,time_ns\n");
}

void csv_flow(const struct flow *f)
{
	printf("# size_bytes=%" PRIu64 " iterations=%" PRIu64 " warmup=%" PRIu64 " depth=%" PRIu64 " post_list=%" PRIu64
	       " signal_every=%" PRIu64 " inline=%" PRIu64 " operations=%" PRIu64 "\n",
	       f->size_bytes, f->iterations, f->warmup, f->depth, f->post_list, f->signal_every, f->inline_bytes,
	       f->operations);
}

void csv_row(const struct flow *f, const char *sample, uint64_t index, struct sample value)
{
	printf("%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", f->size_bytes, sample, index,
	       value.messages, value.messages * f->size_bytes, value.time_ns);
	rows++;
}

void csv_flush(void)
{
	if (fflush(stdout))
		die("can't write the samples: %s", strerror(errno));
}

void csv_end(void)
{
	printf("# end rows=%" PRIu64 "\n", rows);
	csv_flush();
}
