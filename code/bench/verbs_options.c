/* The options of the verbs programs, and the rules between them. */
#include <inttypes.h>

#include "die.h"
#include "verbs_options.h"

#define DEPTH_MAX (1u << 20)

static struct verbs_options verbs;

struct option_spec verbs_option_specs[] = {
	{ "operation", OPTION_WORD, &verbs.operation, "write", true, "write|read|send|write-imm",
	  "what moves the data" },
	{ "tx-depth", OPTION_NUMBER, &verbs.tx_depth, "128", true, NULL, "requests under way at most" },
	{ "rx-depth", OPTION_NUMBER, &verbs.rx_depth, "512", true, NULL, "receive requests that stand ready" },
	{ "post-list", OPTION_NUMBER_OR_AUTO, &verbs.post_list, "auto", true, NULL,
	  "messages handed over by one call" },
	{ "signal-every", OPTION_NUMBER_OR_AUTO, &verbs.signal_every, "auto", true, NULL, "messages per completion" },
	{ "inline", OPTION_NUMBER_OR_AUTO, &verbs.inline_bytes, "auto", true, NULL,
	  "largest message that travels inside its request (auto: what the device grants)" },
	{ "mtu", OPTION_NUMBER_OR_AUTO, &verbs.mtu, "auto", true, NULL, "bytes per packet (auto: the port's)" },
	{ "device", OPTION_TEXT, &verbs.device, "", false, NULL,
	  "RDMA device (none: the one with the side channel's address, else the first with an active port)" },
	{ "ib-port", OPTION_NUMBER, &verbs.ib_port, "1", false, NULL, "its port" },
	{ "gid-index", OPTION_NUMBER_OR_AUTO, &verbs.gid_index, "auto", false, NULL, "its address" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL },
};

const struct verbs_options *verbs_options_get(void)
{
	return &verbs;
}

static void check_depth(const char *name, uint64_t depth)
{
	if (depth == 0 || depth > DEPTH_MAX)
		die_usage("--%s %" PRIu64 ": between 1 and %u requests", name, depth, DEPTH_MAX);
}

static void check_chain(const char *name, uint64_t messages)
{
	if (messages == AUTO)
		return;
	if (messages == 0 || messages > verbs.tx_depth)
		die_usage("--%s %" PRIu64 ": between 1 and --tx-depth (%" PRIu64
			  "), or no completion could free the queue",
			  name, messages, verbs.tx_depth);
}

void verbs_options_check(const struct options *o)
{
	check_depth("tx-depth", verbs.tx_depth);
	check_depth("rx-depth", verbs.rx_depth);
	check_chain("post-list", verbs.post_list);
	check_chain("signal-every", verbs.signal_every);
	if (verbs.post_list != AUTO && verbs.signal_every != AUTO && verbs.post_list % verbs.signal_every != 0 &&
	    verbs.signal_every % verbs.post_list != 0)
		die_usage("--post-list %" PRIu64 " and --signal-every %" PRIu64 ": one must divide the other",
			  verbs.post_list, verbs.signal_every);
	if (verbs.ib_port == 0 || verbs.ib_port > UINT8_MAX)
		die_usage("--ib-port %" PRIu64 ": between 1 and 255", verbs.ib_port);
	if (verbs.gid_index != AUTO && verbs.gid_index > VERBS_GID_INDEX_MAX)
		die_usage("--gid-index %" PRIu64 ": between 0 and %d", verbs.gid_index, VERBS_GID_INDEX_MAX);
	if (o->measure == LATENCY && verbs.operation == OP_WRITE && o->wait == WAIT_EVENT)
		die_usage("--wait event: a WRITE leaves no event at its target; use --wait yield, or write-imm");
}
