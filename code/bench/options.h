/* What a user can ask for: a table, one line an option (option_table.c, and each transport's own). Rules between
 * options are a table too: rule_table.c. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sizes.h"

_Static_assert(sizeof(size_t) == 8 && sizeof(void *) == 8,
	       "lengths and addresses take 64 bits: build for a processor that has them");

#define AUTO UINT64_MAX /* the program chooses by a rule, and prints what it chose */

enum role { SERVER, CLIENT, RANK }; /* a rank is one of two equals that a launcher starts */
enum measure { THROUGHPUT, LATENCY };
enum format { FORMAT_CSV, FORMAT_COLUMNS };
enum wait { WAIT_POLL, WAIT_YIELD, WAIT_EVENT };

/* Options of all programs; a rank has none of those below host. */
struct options {
	enum role role;
	uint64_t measure; /* enum measure */
	uint64_t wait;    /* enum wait */
	uint64_t format;  /* enum format */
	const char *sizes_text;
	struct size_list sizes;
	uint64_t iterations, warmup, windows;
	uint64_t until_stable; /* percent by which rounds may differ; 0: one round */
	uint64_t stable_window, rounds_cap;
	uint64_t seed, deadline_s;
	uint64_t least_time_s; /* that each size is measured for; 0: as long as the iterations take */
	bool verify;
	const char *host;   /* client: where the server listens */
	const char *listen; /* server: the address to listen on */
	const char *source; /* client: the address to connect from, or "" */
	uint64_t port, core;
	const char *token;
	bool explain; /* print options and rules, and run nothing */
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
	uint64_t least, most; /* of a number; most 0: as far as 64 bits count. A default is allowed whatever they say */
	const char *noun;     /* what the number counts, for the sentence that says its limits */
};

/* Reads the command line into the common table and the transport's (which ends with a NULL name).
 * Prints help and exits, or says what is wrong and exits, where it must. */
struct options *options_parse(int argc, char **argv, enum role role, struct option_spec *own);

/* The options of this program, in the order of --help. */
const struct option_spec *const *options_specs(size_t *count);

/* NULL if this program has none of that name. */
const struct option_spec *option_find(const char *name);

/* The option's value as a user would type it. */
const char *option_text(const struct option_spec *spec, char number[32]);

/* Calls visit(key, value as text, shared) for every option, given or default, except the token. */
void options_each(void (*visit)(const char *key, const char *value, bool shared, void *context), void *context);

#endif
