#include "rules.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "option_table.h"
#include "options.h"

#define ONE_WINDOW_EACH                                                                                                \
	{ "measure", IS, "throughput" }, { "verify", IS, "no" }, { "until-stable", IS, "0" }, { "duration", IS, "0" }
#define OF_ROUNDS "it is for --measure throughput without --verify"
#define LASTING "not with --verify or --until-stable, which set the number of messages themselves"
#define OF_ONE_PAIR "1 with --measure latency or --verify"
#define ONE_WAY "not with --measure latency, --verify or --until-stable, which need one direction at a time"
#define BOTH_POLL "poll or yield: with --both an end waits for two completion queues at once"
#define BY_TIME "not with --verify, --until-stable or --least-time, which count messages"
#define NOT_RELIABLE { "connection", IS_NOT, "rc" }
#define NO_LOSS "rc with --verify, --until-stable, --both or --format columns: elsewhere lost messages are counted"
#define ONE_PACKET "uc or rc for {size} bytes: with ud a message is one packet, of 4096 bytes or --mtu at most"
#define FITS_QUEUE "between 1 and --tx-depth ({tx-depth}), or no completion could free the queue"
#define COUNTED "at most " TEXT(ITERATIONS_MAX) " iterations and as many to warm up, of {size} bytes"
#define BYTES_MAX "9223372036854775807"

const struct rule rule_table[] = {
	{ "iterations", { { "iterations", ABOVE, TEXT(ITERATIONS_MAX) } }, COUNTED },
	{ "iterations", { { "warmup", ABOVE, TEXT(ITERATIONS_MAX) } }, COUNTED },
	{ "iterations",
	  { { "size*iterations", ABOVE, BYTES_MAX } },
	  "messages of {size} bytes that 64 bits can count" },
	{ "warmup", { { "size*warmup", ABOVE, BYTES_MAX } }, "messages of {size} bytes that 64 bits can count" },
	{ "least-time", { { "least-time", ABOVE, "0" }, { "verify", IS, "yes" } }, LASTING },
	{ "least-time", { { "least-time", ABOVE, "0" }, { "until-stable", ABOVE, "0" } }, LASTING },
	{ "duration", { { "duration", ABOVE, "0" }, { "verify", IS, "yes" } }, BY_TIME },
	{ "duration", { { "duration", ABOVE, "0" }, { "until-stable", ABOVE, "0" } }, BY_TIME },
	{ "duration", { { "duration", ABOVE, "0" }, { "least-time", ABOVE, "0" } }, BY_TIME },
	{ "until-stable", { { "until-stable", ABOVE, "0" }, { "measure", IS_NOT, "throughput" } }, OF_ROUNDS },
	{ "until-stable", { { "until-stable", ABOVE, "0" }, { "verify", IS, "yes" } }, OF_ROUNDS },
	{ "rounds-cap",
	  { { "until-stable", ABOVE, "0" }, { "rounds-cap", BELOW, "stable-window" } },
	  "between --stable-window ({stable-window}) and " TEXT(ROUNDS_MAX) ", or the rounds could never agree" },
	{ "format",
	  { { "format", IS, "columns" }, { "measure", IS, "latency" } },
	  "it has no column for --measure latency" },
	{ "iterations",
	  { ONE_WINDOW_EACH, { "iterations", BELOW, "windows" } },
	  "as many as {windows} windows take: {iterations} messages of {size} bytes can't fill {windows} windows" },
	{ "post-list", { { "post-list", ABOVE, "tx-depth" } }, FITS_QUEUE },
	{ "signal-every", { { "signal-every", ABOVE, "tx-depth" } }, FITS_QUEUE },
	{ "signal-every",
	  { { "post-list", NO_MULTIPLE_OF, "signal-every" }, { "signal-every", NO_MULTIPLE_OF, "post-list" } },
	  "it and --post-list ({post-list}): one must divide the other" },
	{ "iterations",
	  { ONE_WINDOW_EACH, { "iterations", BELOW, "windows*post-list" } },
	  "a list of {post-list} for each of {windows} windows, at {size} bytes too" },
	{ "iterations",
	  { ONE_WINDOW_EACH, { "iterations", BELOW, "windows*signal-every" } },
	  "a completion, one in {signal-every}, for each of {windows} windows, at {size} bytes too" },
	{ "pairs", { { "pairs", ABOVE, "iterations" } }, "a message of {size} bytes for each queue pair" },
	{ "pairs", { { "pairs", ABOVE, "1" }, { "measure", IS, "latency" } }, OF_ONE_PAIR },
	{ "pairs", { { "pairs", ABOVE, "1" }, { "verify", IS, "yes" } }, OF_ONE_PAIR },
	{ "both", { { "both", IS, "yes" }, { "measure", IS, "latency" } }, ONE_WAY },
	{ "both", { { "both", IS, "yes" }, { "verify", IS, "yes" } }, ONE_WAY },
	{ "both", { { "both", IS, "yes" }, { "until-stable", ABOVE, "0" } }, ONE_WAY },
	{ "both",
	  { { "both", IS, "yes" }, { "format", IS, "columns" } },
	  "its results are two columns: use --format csv" },
	{ "wait", { { "both", IS, "yes" }, { "operation", IS, "send" }, { "wait", IS, "event" } }, BOTH_POLL },
	{ "wait", { { "both", IS, "yes" }, { "operation", IS, "write-imm" }, { "wait", IS, "event" } }, BOTH_POLL },
	{ "connection",
	  { { "connection", IS, "uc" }, { "operation", IS, "read" } },
	  "rc for a READ, which needs its answer" },
	{ "connection",
	  { { "connection", IS, "ud" }, { "operation", IS_NOT, "send" } },
	  "rc or uc for this operation: a datagram can only be sent (--operation send)" },
	{ "connection", { NOT_RELIABLE, { "verify", IS, "yes" } }, NO_LOSS },
	{ "connection", { NOT_RELIABLE, { "until-stable", ABOVE, "0" } }, NO_LOSS },
	{ "connection", { NOT_RELIABLE, { "both", IS, "yes" } }, NO_LOSS },
	{ "connection", { NOT_RELIABLE, { "format", IS, "columns" } }, NO_LOSS },
	{ "connection", { { "connection", IS, "ud" }, { "size", ABOVE, "4096" } }, ONE_PACKET },
	{ "connection", { { "connection", IS, "ud" }, { "size", ABOVE, "mtu" } }, ONE_PACKET },
	{ "pace",
	  { { "pace", ABOVE, "0" }, { "measure", IS, "latency" } },
	  "0 with --measure latency, where each message waits for the one before" },
	{ "streams", { { "streams", ABOVE, "iterations" } }, "a message of {size} bytes for each connection" },
	{ "streams", { { "streams", ABOVE, "1" }, { "measure", IS, "latency" } }, OF_ONE_PAIR },
	{ "streams", { { "streams", ABOVE, "1" }, { "verify", IS, "yes" } }, OF_ONE_PAIR },
	{ "mtu", { { "4096", NO_MULTIPLE_OF, "mtu" } }, "a power of two from 256 to 4096" },
	{ "wait",
	  { { "measure", IS, "latency" }, { "operation", IS, "write" }, { "wait", IS, "event" } },
	  "a WRITE leaves no event at its target; use --wait yield, or write-imm" },
	{ "relaxed-ordering",
	  { { "relaxed-ordering", IS, "yes" }, { "measure", IS, "latency" }, { "operation", IS, "write" } },
	  "auto or no: a WRITE's target polls the last byte, which must land last" },
	{ NULL, { { NULL, ALWAYS, NULL } }, NULL },
};

/* Whether all factors are known: options, numbers, or the size. IS and IS_NOT compare with any word. */
static bool is_known(const char *factors)
{
	char copy[64], *rest = copy;
	const char *factor;

	snprintf(copy, sizeof(copy), "%s", factors);
	while ((factor = strsep(&rest, "*")) != NULL)
		if (!isdigit((unsigned char)*factor) && strcmp(factor, "size") != 0 && !option_find(factor))
			return false;
	return true;
}

bool rule_concerns(const struct rule *rule)
{
	const struct condition *c;

	for (size_t i = 0; i < CONDITIONS_MAX; i++) {
		c = &rule->refused_if[i];
		if (c->relation == ALWAYS)
			continue;
		if (!is_known(c->left) || (c->relation != IS && c->relation != IS_NOT && !is_known(c->right)))
			return false;
	}
	return true;
}
