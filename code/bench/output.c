#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "die.h"

const struct output *output_of(const struct options *o)
{
	return o->format == FORMAT_COLUMNS ? &columns_output : &csv_output;
}

void output_flush(void)
{
	if (fflush(stdout))
		die("can't write the samples: %s", strerror(errno));
}
