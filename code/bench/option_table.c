#include "option_table.h"

struct options options;

struct option_spec options_common[] = {
	{ "sizes", OPTION_TEXT, &options.sizes_text, "1..1M*2", true, NULL,
	  "message sizes: 64,4K or 1..1M*2 or 16M..64M+16M, each optionally with @iterations/warmup", 0, 0, NULL },
	{ "iterations", OPTION_NUMBER, &options.iterations, "5000", true, NULL, "timed messages per size", 1,
	  ITERATIONS_MAX, "messages: at least one message is needed" },
	{ "warmup", OPTION_NUMBER, &options.warmup, "500", true, NULL, "untimed messages before them", 0,
	  ITERATIONS_MAX, "messages" },
	{ "least-time", OPTION_NUMBER, &options.least_time_s, "0", true, NULL,
	  "seconds that each size must last at least: shorter ones are measured with more iterations (0: no limit)", 1,
	  3600, "seconds" },
	{ "verify", OPTION_FLAG, &options.verify, "no", true, NULL, "check every byte after it has arrived", 0, 0,
	  NULL },
	{ "seed", OPTION_NUMBER, &options.seed, "1", true, NULL, "seed of the pattern that --verify checks", 0, 0,
	  NULL },
	{ "deadline", OPTION_NUMBER, &options.deadline_s, "30", true, NULL,
	  "seconds that any wait may last without progress", 1, 86400, "seconds" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

struct option_spec options_of_pairs[] = {
	{ "measure", OPTION_WORD, &options.measure, "throughput", true, "throughput|latency", "what a sample is", 0, 0,
	  NULL },
	{ "windows", OPTION_NUMBER, &options.windows, "20", true, NULL, "throughput samples per size", WINDOWS_MIN,
	  WINDOWS_MAX, "samples: at least " TEXT(WINDOWS_MIN) " samples give an interval" },
	{ "until-stable", OPTION_NUMBER, &options.until_stable, "0", true, NULL,
	  "repeat rounds of the iterations until they differ by at most this many percent (0: one round)", 1, 100,
	  "percent" },
	{ "stable-window", OPTION_NUMBER, &options.stable_window, "5", true, NULL, "how many rounds must agree", 2,
	  STABLE_WINDOW_MAX, "rounds" },
	{ "rounds-cap", OPTION_NUMBER, &options.rounds_cap, "50", true, NULL,
	  "rounds after which the size is reported as not stable", 2, ROUNDS_MAX, "rounds" },
	{ "wait", OPTION_WORD, &options.wait, "poll", true, "poll|yield|event",
	  "how to wait: spin, spin and yield the core, or sleep", 0, 0, NULL },
	{ "core", OPTION_NUMBER_OR_AUTO, &options.core, "auto", false, NULL, "CPU to pin to (auto: none)", 0, 0, NULL },
	{ "port", OPTION_NUMBER_OR_AUTO, &options.port, "auto", false, NULL,
	  "TCP port of the server (auto: 6666 with --format columns, else 18600)", 1, UINT16_MAX, NULL },
	{ "listen", OPTION_TEXT, &options.listen, "127.0.0.1", false, NULL, "server: address to listen on", 0, 0,
	  NULL },
	{ "source", OPTION_TEXT, &options.source, "", false, NULL, "client: address to connect from", 0, 0, NULL },
	{ "format", OPTION_WORD, &options.format, "csv", false, "csv|columns",
	  "output of the client: raw samples, or a line 'size  value  Mbps' for each size", 0, 0, NULL },
	{ "token", OPTION_TEXT, &options.token, "", false, NULL,
	  "secret of both ends (better: LAB_TOKEN in the environment)", 0, 0, NULL },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};
