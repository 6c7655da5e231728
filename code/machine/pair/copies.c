/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies.h"

enum { MOST_COPIES = 256, LOOK_MS = 5 };

struct copy {
	pid_t process;
	int life;
};

static struct copies {
	struct copy each[MOST_COPIES];
	int count;
} copies;

static void tell(int life, int32_t number)
{
	send(life, &number, sizeof(number), MSG_NOSIGNAL); /* a closed socket means that the orderer is gone */
}

static void forget(struct copy *copy)
{
	close(copy->life);
	*copy = copies.each[--copies.count];
}

static bool has_ended(const struct copy *copy)
{
	int status;

	if (waitpid(copy->process, &status, WNOHANG) <= 0)
		return false;
	tell(copy->life, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	return true;
}

static void look_after_copies(const struct pollfd *lives)
{
	for (int c = copies.count - 1; c >= 0; c--) {
		if (lives[c].revents)
			kill(copies.each[c].process, SIGKILL);
		if (has_ended(&copies.each[c]))
			forget(&copies.each[c]);
	}
}

/* False once no order can come any more. */
static bool receive(int calls, struct order *order)
{
	char room[CMSG_SPACE(MOST_FILES * sizeof(int))] = { 0 };
	struct iovec words = { order->words, WORDS_BYTES - 1 };
	struct msghdr message = {
		.msg_iov = &words, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	const ssize_t size = recvmsg(calls, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *const files = CMSG_FIRSTHDR(&message);

	/* The room is aligned: the kernel may write one more file into it. */
	if (size <= 0 || !files || message.msg_flags & MSG_CTRUNC || files->cmsg_level != SOL_SOCKET ||
	    files->cmsg_type != SCM_RIGHTS || files->cmsg_len > CMSG_LEN(sizeof(order->files)))
		return false;
	order->words[size] = 0;
	memset(order->files, -1, sizeof(order->files));
	memcpy(order->files, CMSG_DATA(files), files->cmsg_len - CMSG_LEN(0));
	return true;
}

static void close_files(const struct order *order)
{
	for (int f = 0; f < MOST_FILES; f++)
		if (f != LIFE && order->files[f] >= 0)
			close(order->files[f]);
}

/* A fork ends with the thread that forked it, and keeps no files of other forks. */
static void copy_begin(pid_t original, int calls, const struct order *order)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != original)
		_exit(EXIT_FAILURE); /* the original has already ended */
	close(calls);
	for (int c = 0; c < copies.count; c++)
		close(copies.each[c].life);
	close(order->files[LIFE]);
	copies.count = 0;
}

static bool is_copy(int calls, struct order *order)
{
	const pid_t original = getpid(), process = copies.count < MOST_COPIES ? fork() : -1;

	if (process == 0) {
		copy_begin(original, calls, order);
		return true;
	}
	tell(order->files[LIFE], process);
	if (process > 0)
		copies.each[copies.count++] = (struct copy){ process, order->files[LIFE] };
	else
		close(order->files[LIFE]);
	close_files(order);
	return false;
}

/* Whether there is an order, or the orderer is gone. */
static bool is_called(int calls)
{
	struct pollfd wanted[MOST_COPIES + 1];
	struct pollfd *const call = &wanted[copies.count];

	for (int c = 0; c < copies.count; c++)
		wanted[c] = (struct pollfd){ .fd = copies.each[c].life, .events = POLLIN };
	*call = (struct pollfd){ .fd = calls, .events = POLLIN };
	poll(wanted, (nfds_t)copies.count + 1, copies.count ? LOOK_MS : -1);
	look_after_copies(wanted);
	return call->revents;
}

void copies_serve(int calls, struct order *order, void (*before_each)(void))
{
	for (;;) {
		while (!is_called(calls))
			;
		if (!receive(calls, order))
			_exit(EXIT_SUCCESS);
		before_each();
		if (is_copy(calls, order))
			return;
	}
}

static void each_open(void (*call)(int file, const char *path, const void *data), const void *data)
{
	DIR *const folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[64], path[64];
	ssize_t size;

	while (folder && (entry = readdir(folder))) {
		snprintf(link, sizeof(link), "/proc/self/fd/%.20s", entry->d_name);
		size = readlink(link, path, sizeof(path) - 1);
		if (size < 0 || atoi(entry->d_name) == dirfd(folder))
			continue;
		path[size] = 0;
		call(atoi(entry->d_name), path, data);
	}
	closedir(folder);
}

void copies_allow_memory(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2)
			madvise((void *)start, end - start, MADV_DOFORK); /* some mappings of the kernel refuse this */
	if (maps)
		fclose(maps);
}

struct exchange {
	struct stat old;
	int file;
};

static void replace_open(int file, const char *path, const void *data)
{
	const struct exchange *const e = data;
	struct stat now;

	(void)path;
	if (fstat(file, &now) == 0 && now.st_dev == e->old.st_dev && now.st_ino == e->old.st_ino)
		dup3(e->file, file, O_CLOEXEC);
}

static void replace_mapped(const struct exchange *e)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, inode;
	unsigned int device_major, device_minor;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx rw-s %lx %x:%x %lu", &start, &end, &offset, &device_major, &device_minor,
			   &inode) == 6 &&
		    inode == e->old.st_ino && makedev(device_major, device_minor) == e->old.st_dev)
			mmap((void *)start, end - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, e->file,
			     (off_t)offset);
	if (maps)
		fclose(maps);
}

void copies_replace(int old_file, int new_file)
{
	struct exchange e = { .file = new_file };

	if (fstat(old_file, &e.old) < 0)
		return;
	replace_mapped(&e);
	each_open(replace_open, &e);
}

static void replace_event(int file, const char *path, const void *data)
{
	int own;

	(void)data;
	if (strcmp(path, "anon_inode:[eventfd]"))
		return;
	own = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	dup3(own, file, O_CLOEXEC);
	close(own);
}

void copies_forget_original(void)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	close(nothing);
	each_open(replace_event, NULL);
}
