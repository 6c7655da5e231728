/* What a user can set: a table with one line per option (option_table.c, and one of each transport). Rules between
 * options are a table too: rule_table.c. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sizes.h"

_Static_assert(sizeof(size_t) == 8 && sizeof(void *) == 8,
	       "lengths and addresses take 64 bits: build for a CPU that has them");

#define AUTO UINT64_MAX /* the program chooses by a rule, and prints the choice */

enum role { SERVER, CLIENT, RANK }; /* a rank is one of two equal processes that a launcher starts */
enum measure { THROUGHPUT, LATENCY };
enum format { FORMAT_CSV, FORMAT_COLUMNS };
enum wait { WAIT_POLL, WAIT_YIELD, WAIT_EVENT };

/* Options of all programs; a rank has none of those from host on. */
struct options {
	enum role role;
	uint64_t measure; /* enum measure */
	uint64_t wait;    /* enum wait */
	uint64_t format;  /* enum format */
	const char *sizes_text;
	struct size_list sizes;
	uint64_t iterations, warmup, windows;
	uint64_t until_stable; /* percent that rounds may differ; 0: one round */
	uint64_t stable_window, rounds_cap;
	uint64_t seed, deadline_s;
	uint64_t duration_s;   /* of each size, in place of its number of messages; 0: that number */
	uint64_t least_time_s; /* least time of each size; 0: no limit */
	bool verify;
	bool both;          /* data in both directions at once */
	uint64_t pace;      /* messages per second at most; 0: no limit */
	const char *host;   /* client: where the server listens */
	const char *listen; /* server: the address to listen on */
	const char *source; /* client: the address to connect from, or "" */
	uint64_t port, core;
	const char *token;
	bool explain; /* print options and rules, and exit */
};

enum option_kind { OPTION_FLAG, OPTION_NUMBER, OPTION_NUMBER_OR_AUTO, OPTION_BYTES, OPTION_WORD, OPTION_TEXT };

struct option_spec {
	const char *name;
	enum option_kind kind;
	void *value;         /* bool for a flag, const char * for a text, else uint64_t */
	const char *initial; /* the default, as a user would type it */
	bool shared;         /* both ends must agree */
	const char *words;   /* OPTION_WORD: the choices, "first|second"; the value is the index */
	const char *help;
	uint64_t least, most; /* limits of a number; most 0: none. A default may be outside */
	const char *noun;     /* what the number counts, for the message about its limits */
};

/* Reads the command line into the common table and the transport's (which ends with a NULL name). Prints help and
 * exits, or reports an error and exits. */
struct options *options_parse(int argc, char **argv, enum role role, struct option_spec *own);

/* The options of this program, in the order of --help. */
const struct option_spec *const *options_specs(size_t *count);

/* The option of a name; NULL if this program has none. */
const struct option_spec *option_find(const char *name);

/* The option's value as a user would type it. */
const char *option_text(const struct option_spec *spec, char number[32]);

/* Calls visit(key, value as text, shared) for each option, set or default, except the token. */
void options_each(void (*visit)(const char *key, const char *value, bool shared, void *context), void *context);

#endif
