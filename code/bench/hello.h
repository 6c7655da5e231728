/* The first messages on a connection: who a client is and what it measures, and the verdict of the server. */
#ifndef HELLO_H
#define HELLO_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

#define HELLO_VERSION 3
#define TOKEN_MAX 64
#define OPTIONS_TEXT_MAX 4096
#define SENTENCE_MAX 256

/* As sent: fixed sizes and big-endian numbers, so that nothing is read past a bound. */
struct hello {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
	uint64_t digest; /* of all shared options; the text names the one that differs */
	char token[TOKEN_MAX];
	char options[OPTIONS_TEXT_MAX]; /* "key=value\n" each, truncated */
};

struct verdict {
	char magic[8];
	uint32_t version;
	uint32_t refused;
	char sentence[SENTENCE_MAX];
};

void hello_fill(struct hello *hello, const struct options *options);

/* Judges a client: writes why it is refused, printable, or an empty text if it is accepted. True if it has our token,
 * which means that it is our client, perhaps with wrong options; without tokens it is false. */
bool hello_judge(struct hello *there, const struct hello *here, char sentence[SENTENCE_MAX]);

/* The verdict as sent; an empty reason accepts the client. Safe in a signal handler. */
struct verdict verdict_of(const char *sentence);

/* Exits with the server's reason, or if the answer is not a verdict, unless the client is accepted. */
void verdict_obey(struct verdict *verdict, const char *host);

#endif
