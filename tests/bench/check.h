/* cmocka's includes, in the order it needs, and a child process in which a program may exit. */
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers above */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs body in a child; its exit status, and what it said on stderr. */
static inline int in_child(void (*body)(void *), void *argument, char *said, size_t room)
{
	int pipe_fds[2], status;
	size_t length = 0;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		dup2(pipe_fds[1], STDERR_FILENO);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		body(argument);
		fflush(NULL);
		_exit(0);
	}
	close(pipe_fds[1]);
	while ((n = read(pipe_fds[0], said + length, room - 1 - length)) > 0)
		length += (size_t)n;
	said[length] = '\0';
	close(pipe_fds[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
