/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic of a wire at one end, as a file for tcpdump and Wireshark: pcapng with times in ns of the clock of the
 * guest, the first bytes of each frame, its direction, and its fate if it did not arrive. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LOG_BYTES = 96 };            /* of each frame: the headers of Ethernet, IP, TCP or UDP and RoCE, and some more */
enum direction { IN = 1, OUT = 2 }; /* numbers of pcapng */

/* Start a log in a file; false, with errno, if that fails. */
bool log_open(FILE **log, const char *path, const char *wire);

/* Log a frame that goes in or out at a time; `fate` is a word, or NULL. */
void log_frame(FILE *log, int64_t now_ns, enum direction direction, const uint8_t *bytes, size_t size,
	       const char *fate);

/* End a log; false, with errno, if any part of it could not be written. NULL: there is none. */
bool log_close(FILE *log);

#endif
