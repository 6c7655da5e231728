/* Two ends that take turns: one runs until it waits for the other. */
#include "fake_verbs.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "side.h"
#include "watch.h"

#define STACK (256u << 10)

bool __wrap_side_read(int fd, void *buffer, size_t size, uint64_t deadline_ns);
bool __real_side_read(int fd, void *buffer, size_t size, uint64_t deadline_ns);
void __wrap_watch_peer(int fd);
int __wrap_sched_yield(void);

static struct end {
	ucontext_t context;
	bool runs;
	int side;
} ends[2]; /* by role */

static ucontext_t home;
static enum role now;
static void (*run)(enum role role, int side);

static void start(void)
{
	run(now, ends[now].side);
	ends[now].runs = false;
}

static void prepare(enum role role)
{
	struct end *e = &ends[role];

	getcontext(&e->context);
	e->context.uc_stack.ss_sp = malloc(STACK);
	e->context.uc_stack.ss_size = STACK;
	e->context.uc_link = &home;
	e->runs = true;
	makecontext(&e->context, start, 0);
}

/* Connects the side channel once for all runs. The address of an end is among the GIDs of its device: 127.0.0.1. */
static void connect_sides(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener;

	if (ends[CLIENT].side)
		return;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ends[CLIENT].side = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    connect(ends[CLIENT].side, (struct sockaddr *)&address, length))
		fake_fault("no side channel");
	ends[SERVER].side = accept(listener, NULL, NULL);
	close(listener);
}

void two_ends_run(void (*body)(enum role role, int side))
{
	run = body;
	connect_sides();
	prepare(SERVER);
	prepare(CLIENT);
	while (ends[SERVER].runs || ends[CLIENT].runs) {
		now = ends[SERVER].runs ? SERVER : CLIENT;
		swapcontext(&home, &ends[now].context);
	}
	free(ends[SERVER].context.uc_stack.ss_sp);
	free(ends[CLIENT].context.uc_stack.ss_sp);
}

void two_ends_switch(void)
{
	const enum role before = now;

	if (!ends[SERVER].runs || !ends[CLIENT].runs)
		return;
	now = before == SERVER ? CLIENT : SERVER;
	swapcontext(&ends[before].context, &ends[now].context);
}

/* A read without data would block both ends. */
bool __wrap_side_read(int fd, void *buffer, size_t size, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, 0) == 0)
		fake_wait();
	fake_advance();
	return __real_side_read(fd, buffer, size, deadline_ns);
}

/* A watched end that closes would end the program, which runs the other one too. */
void __wrap_watch_peer(int fd)
{
	(void)fd;
}

int __wrap_sched_yield(void)
{
	fake_carry_out(fake_verbs.pace);
	fake_wait();
	return 0;
}

static struct option_spec *find(const char *name)
{
	struct option_spec *spec = verbs_option_specs;

	while (strcmp(spec->name, name) != 0)
		spec++;
	return spec;
}

void verbs_set(const char *name, uint64_t value)
{
	*(uint64_t *)find(name)->value = value;
}

void verbs_set_text(const char *name, const char *text)
{
	*(const char **)find(name)->value = text;
}

void verbs_set_defaults(void)
{
	for (struct option_spec *spec = verbs_option_specs; spec->name; spec++)
		if (spec->kind == OPTION_TEXT)
			*(const char **)spec->value = spec->initial;
		else if (spec->kind == OPTION_FLAG)
			*(bool *)spec->value = false;
		else if (spec->kind == OPTION_WORD)
			*(uint64_t *)spec->value = 0; /* the first word of each is its default */
		else
			*(uint64_t *)spec->value =
				strcmp(spec->initial, "auto") == 0 ? AUTO : strtoull(spec->initial, NULL, 10);
}
