/* The first bytes that each end sends: who it is and what it wants to measure, and what the server says to that. */
#ifndef HELLO_H
#define HELLO_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

#define HELLO_VERSION 2
#define TOKEN_MAX 64
#define OPTIONS_TEXT_MAX 4096
#define SENTENCE_MAX 256

/* On the wire: fixed sizes, big-endian numbers, so that nothing is ever read past a bound. */
struct hello {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
	uint64_t digest; /* of all shared options; the text is there to name the one that differs */
	char token[TOKEN_MAX];
	char options[OPTIONS_TEXT_MAX]; /* "key=value\n", cut off at the end */
};

struct verdict {
	char magic[8];
	uint32_t version;
	uint32_t refused;
	char sentence[SENTENCE_MAX];
};

void hello_fill(struct hello *hello, const struct options *options);

/* Why that client is not welcome, printable; empty if it is. True if it knows our token, so that it is our own, if
 * misled: without a token there is no telling. */
bool hello_judge(struct hello *there, const struct hello *here, char sentence[SENTENCE_MAX]);

/* The answer; an empty sentence is a welcome. Safe in a signal handler. */
struct verdict verdict_of(const char *sentence);

/* Exits with the server's reason, or with what is wrong with the answer, unless it is a welcome. */
void verdict_obey(struct verdict *verdict, const char *host);

#endif
