#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "die.h"
#include "door.h"

#define TICKS 20 /* checks per deadline */

volatile uint64_t watch_progress;

static char stage[128] = "starting";
static char deadline_text[32];
static uint64_t seen;
static volatile sig_atomic_t idle_ticks;
static int peer = -1, listener = -1;
static void (*volatile idle_look)(void *);
static void *look_context;

static void put(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

_Noreturn static void end(const char *why)
{
	put(die_program());
	put(": ");
	put(why);
	put(" while ");
	put(stage);
	put("\n");
	_exit(1);
}

/* A server that only receives sees no progress of a long size: the client sends it heartbeats. */
static void beat(void)
{
	if (peer >= 0)
		send(peer, &(char){ WATCH_BEAT }, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Progress since the last tick may have been made right after it; and send(2) reports its progress only when a tick
 * interrupts it. So the time of progress is taken to be this tick. */
static void on_alarm(int signal_number)
{
	int saved = errno;

	(void)signal_number;
	if (watch_progress != seen) {
		seen = watch_progress;
		idle_ticks = 1;
		beat();
	} else {
		if (idle_look)
			idle_look(look_context);
		if (++idle_ticks >= TICKS)
			end(deadline_text);
	}
	errno = saved;
}

static void look_at_peer(void)
{
	char byte;
	ssize_t n;

	while ((n = recv(peer, &byte, 1, MSG_PEEK | MSG_DONTWAIT)) == 1 && byte == WATCH_BEAT) {
		recv(peer, &byte, 1, MSG_DONTWAIT);
		idle_ticks = 0; /* this is not our progress: otherwise two idle ends would keep each other alive */
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end("the other end is gone");
}

static void on_io(int signal_number)
{
	int saved = errno, stranger;

	(void)signal_number;
	if (peer >= 0)
		look_at_peer();
	while (listener >= 0 && (stranger = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		door_busy(stranger);
		shutdown(stranger, SHUT_WR);
		put(die_program());
		put(": refused a second client: busy\n");
		close(stranger);
	}
	errno = saved;
}

static void handle(int signal_number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	if (sigaction(signal_number, &action, NULL))
		die("sigaction: %s", strerror(errno));
}

static void notify(int fd, int flags)
{
	handle(SIGIO, on_io);
	if (fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC | flags))
		die("fcntl: %s", strerror(errno));
	raise(SIGIO); /* for events before the socket was watched */
}

void watch_stage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(stage, sizeof(stage), format, arguments);
	va_end(arguments);
	watch_advance();
}

void watch_deadline(uint64_t deadline_s)
{
	uint64_t tick_us = deadline_s * 1000000 / TICKS;
	struct itimerval timer = { { (time_t)(tick_us / 1000000), (suseconds_t)(tick_us % 1000000) }, { 0, 0 } };

	snprintf(deadline_text, sizeof(deadline_text), "no progress for %llu s", (unsigned long long)deadline_s);
	timer.it_value = timer.it_interval;
	handle(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void watch_look(void (*look)(void *), void *context)
{
	idle_look = NULL;
	look_context = context;
	idle_look = look;
}

void watch_peer(int fd)
{
	peer = fd;
	notify(fd, 0);
}

void watch_peer_may_leave(int fd)
{
	peer = -1;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC);
}

void watch_listener(int fd)
{
	listener = fd;
	notify(fd, O_NONBLOCK);
}
