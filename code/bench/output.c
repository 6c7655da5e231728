#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "die.h"

/* Opened read-only, so that printing to it fails instead of losing output. */
void output_guard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void output_flush(void)
{
	if (fflush(stdout))
		die("can't write the samples: %s", strerror(errno));
	if (ferror(stdout)) /* printf() has dropped what it could not write */
		die("can't write the samples: an earlier write failed");
}
