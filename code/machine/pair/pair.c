/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pair.h"

#define ENDED_WELL (0x10 << 1 | 1) /* the exit status of QEMU for the byte that init writes to isa-debug-exit */
#define LOOK_NS 10000000           /* interval at which a sleeping end checks that the other is alive */

static const char *const names[ENDS] = { "client", "server" };

static off_t ring_place(int end, int wire)
{
	return (off_t)(ENDS * END_BYTES + (uint64_t)(end * WIRES + wire) * RING_BYTES);
}

static bool map_rings(struct pair *p)
{
	bool good = true;

	for (int wire = 0; wire < WIRES; wire++) {
		p->out[wire] = ring_map(p->file, ring_place(p->end, wire));
		p->in[wire] = ring_map(p->file, ring_place(!p->end, wire));
		good = good && p->out[wire].memory && p->in[wire].memory;
	}
	return good;
}

static bool pair_lock(const struct pair *p, int end)
{
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = end, .l_len = 1 };

	return fcntl(p->file, F_OFD_SETLK, &byte) == 0;
}

bool pair_open(struct pair *p, int end, const char *path)
{
	uint8_t *memory;

	*p = (struct pair){ .end = end };
	p->file = open(path, O_RDWR | O_CLOEXEC);
	if (p->file < 0 || ftruncate(p->file, ring_place(ENDS, 0)) < 0)
		return false;
	memory = mmap(NULL, ENDS * END_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->file, 0);
	if (memory == MAP_FAILED || !map_rings(p) || !pair_lock(p, end))
		return false;
	p->mine = (struct end *)(memory + end * END_BYTES);
	p->other = (struct end *)(memory + !end * END_BYTES);
	atomic_store(&p->mine->present, 1);
	return true;
}

static void pair_go(struct pair *p, enum gone how)
{
	uint32_t here = HERE;

	atomic_compare_exchange_strong(&p->mine->gone, &here, how);
	pair_note(p);
	pair_wake(p);
}

void pair_finish(struct pair *p)
{
	pair_go(p, FINISHED);
}

void pair_leave(struct pair *p, int status)
{
	if (status != ENDED_WELL && atomic_load(&p->mine->gone) == HERE)
		snprintf(p->mine->reason, REASON_BYTES, "the %s's machine ended with status %d", names[p->end], status);
	pair_go(p, status == ENDED_WELL ? FINISHED : FAILED);
}

void pair_fail(struct pair *p, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(p->mine->reason, REASON_BYTES, format, arguments);
	va_end(arguments);
	fprintf(stderr, "pair: %s\n", p->mine->reason);
	pair_go(p, FAILED);
	_exit(EXIT_FAILURE); /* the exit of QEMU could wait for ever */
}

void pair_require_other(struct pair *p)
{
	struct end *const other = p->other;
	const bool dead = atomic_load(&other->present) && pair_lock(p, !p->end);

	switch (atomic_load(&other->gone)) {
	case FINISHED:
		return;
	case FAILED:
		pair_fail(p, "%.*s", REASON_BYTES - 1, other->reason);
	default:
		if (dead)
			pair_fail(p, "the %s's machine was killed", names[!p->end]);
	}
}

bool pair_is_alone(const struct pair *p)
{
	return atomic_load(&p->other->gone) == FINISHED;
}

void pair_note(struct pair *p)
{
	atomic_fetch_add(&p->mine->changes, 1);
}

void pair_wake(const struct pair *p)
{
	if (atomic_load(&p->mine->asleep))
		syscall(SYS_futex, &p->mine->changes, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_until_noted(struct pair *p, uint32_t seen)
{
	const struct timespec most = { 0, LOOK_NS };
	long woken = 0;

	atomic_store(&p->other->asleep, 1);
	if (atomic_load(&p->other->changes) == seen)
		woken = syscall(SYS_futex, &p->other->changes, FUTEX_WAIT, seen, &most, NULL, 0);
	atomic_store(&p->other->asleep, 0);
	if (woken < 0 && errno == ETIMEDOUT)
		pair_require_other(p);
}

/* The other end is woken no sooner, and neither end spins: they take turns, each for as long as possible. Running in
 * parallel on two CPUs took less time, but more CPU time: promises had to be read more than twice as often, and each
 * read interrupts the translated code of QEMU. */
void pair_await(struct pair *p, uint32_t seen)
{
	if (atomic_load_explicit(&p->other->changes, memory_order_acquire) != seen)
		return;
	pair_wake(p);
	sleep_until_noted(p, seen);
}

bool pair_await_finish(struct pair *p, const uint64_t taken[WIRES])
{
	uint32_t seen = atomic_load(&p->other->changes);

	while (!pair_is_alone(p)) {
		pair_await(p, seen);
		pair_require_other(p);
		seen = atomic_load(&p->other->changes);
	}
	return taken[LINK] == atomic_load(&p->other->sent[LINK]) && taken[SIDE] == atomic_load(&p->other->sent[SIDE]);
}

int64_t host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
