#include "die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "lab-bench";

void die_name(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	program = slash ? slash + 1 : argv0;
}

const char *die_program(void)
{
	return program;
}

static void vsay(const char *format, va_list arguments)
{
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsay(format, arguments);
	va_end(arguments);
}

void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsay(format, arguments);
	va_end(arguments);
	exit(1);
}

void die_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsay(format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s: see %s --help\n", program, program);
	exit(2);
}
