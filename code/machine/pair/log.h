/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes over a wire at one end, as a file that tcpdump and Wireshark read: pcapng with times in ns of the guest's
 * clock, the first bytes of each frame, its direction, and what became of it if it did not arrive.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LOG_BYTES = 96 }; /* of each frame: the headers of Ethernet, IP, TCP or UDP and RoCE with room to spare */
enum direction { IN = 1, OUT = 2 }; /* as pcapng numbers them */

/* Start a log in a file; false, with errno, if that cannot be. */
bool log_open(FILE **log, const char *path, const char *wire);

/* A frame that goes in or out at a time; `fate` is a word for people, or NULL. */
void log_frame(FILE *log, int64_t now_ns, enum direction direction, const uint8_t *bytes, size_t size,
	       const char *fate);

#endif
