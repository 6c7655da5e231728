/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a machine gets as files, and leaves in them: copies.c and log.c. */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "check.h"
#include "copies.h"
#include "log.h"

enum { TOO_MANY = 64, NO_MOUNTS = 77 };

/* An order with so many files, all of which are the last one. */
static void order(int calls, int files, int last)
{
	char room[CMSG_SPACE(TOO_MANY * sizeof(int))] = { 0 };
	struct iovec words = { (char[]){ "words" }, 5 };
	struct msghdr message = { .msg_iov = &words,
				  .msg_iovlen = 1,
				  .msg_control = files ? room : NULL,
				  .msg_controllen = files ? CMSG_SPACE((size_t)files * sizeof(int)) : 0 };
	struct cmsghdr *const header = CMSG_FIRSTHDR(&message);

	for (int i = 0; i < files; i++)
		memcpy(CMSG_DATA(header) + i * (int)sizeof(int), &last, sizeof(int));
	if (files)
		*header = (struct cmsghdr){ CMSG_LEN((size_t)files * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	assert_int_equal(sendmsg(calls, &message, 0), 5);
}

static void nothing(void)
{
}

static void serve(void *calls)
{
	struct order got;

	copies_serve(*(int *)calls, &got, nothing);
	_exit(strcmp(got.words, "words") == 0 ? 7 : 8); /* in a fork */
}

/* The status that the orderer reads of a fork; -1: there is none. */
static int32_t status_of_order(int files)
{
	int calls[2], life[2];
	int32_t process = -1, status = -1;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, calls), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, life), 0);
	order(calls[0], files, life[1]);
	close(life[1]);
	shutdown(calls[0], SHUT_WR);
	check_child(serve, &calls[1], 0, NULL);
	if (read(life[0], &process, sizeof(process)) == sizeof(process) && process > 0 &&
	    read(life[0], &status, sizeof(status)) != sizeof(status))
		status = -1;
	close(calls[0]);
	close(calls[1]);
	close(life[0]);
	return status;
}

TEST(an_order_with_too_many_files_or_none_makes_no_fork)
{
	static const int counts[] = { 0, MOST_FILES + 1, MOST_FILES + 2, TOO_MANY };

	for (size_t i = 0; i < COUNT(counts); i++)
		assert_int_equal(status_of_order(counts[i]), -1);
}

static int file_on_new_tmpfs(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/file", folder);
	if (mount("none", folder, "tmpfs", 0, NULL)) {
		perror("mount");
		_exit(NO_MOUNTS);
	}
	return open(path, O_RDWR | O_CREAT, 0600);
}

static char *map(int file)
{
	char *const memory =
		ftruncate(file, 4096) ? NULL : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	*memory = 'o';
	return memory;
}

static void replace_one_of_two(void *folders)
{
	const int new = memfd_create("new", 0);
	struct stat facts[2];
	char *mapped[2];
	int files[2];

	if (unshare(getuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		perror("unshare");
		_exit(NO_MOUNTS);
	}
	for (int i = 0; i < 2; i++) {
		files[i] = file_on_new_tmpfs(((char **)folders)[i]);
		mapped[i] = map(files[i]);
		fstat(files[i], &facts[i]);
	}
	if (facts[0].st_ino != facts[1].st_ino)
		_exit(3);
	*map(new) = 'n';
	copies_replace(files[0], new);
	_exit(*mapped[0] == 'n' && *mapped[1] == 'o' ? 0 : 4);
}

TEST(a_mapping_of_another_file_system_with_the_same_inode_number_stays)
{
	char names[2][32] = { "/tmp/pair-XXXXXX", "/tmp/pair-XXXXXX" };
	char *folders[2] = { mkdtemp(names[0]), mkdtemp(names[1]) };

	const int status = in_child(replace_one_of_two, folders, check_printed, sizeof(check_printed));

	rmdir(folders[0]);
	rmdir(folders[1]);
	if (status == NO_MOUNTS) {
		print_message("this host allows no mounts in a namespace: %s", check_printed);
		skip();
	}
	assert_int_equal(status, 0);
}

TEST(a_log_that_cannot_be_written_whole_is_an_error)
{
	static const char *const paths[] = { "/dev/null", "/dev/full" };
	const uint8_t bytes[64] = { 0 };
	FILE *log;

	for (int is_full = 0; is_full < 2; is_full++)
		for (int frames = 1; frames <= 1000; frames += 999) { /* one fills no buffer */
			assert_true(log_open(&log, paths[is_full], "link"));
			for (int i = 0; i < frames; i++)
				log_frame(log, i, OUT, bytes, sizeof(bytes), NULL);
			assert_int_equal(log_close(log), !is_full);
		}
	assert_true(log_close(NULL));
}

RUN_TESTS("files", NULL, NULL)
