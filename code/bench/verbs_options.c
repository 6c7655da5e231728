/* The options of the verbs programs, with the limits of each. */
#include "verbs_options.h"

#include "option_table.h"

#define DEPTH_MAX (1u << 20)
#define INLINE_MAX (1u << 20) /* far above what any device grants */

static struct verbs_options verbs;

struct option_spec verbs_option_specs[] = {
	{ "operation", OPTION_WORD, &verbs.operation, "write", true, "write|read|send|write-imm",
	  "the operation that moves the data", 0, 0, NULL },
	{ "connection", OPTION_WORD, &verbs.connection, "rc", true, "rc|uc|ud",
	  "reliable (RC), or without acknowledgements: UC, or the datagrams of UD; what is lost is counted", 0, 0,
	  NULL },
	{ "pace", OPTION_NUMBER, &options.pace, "0", true, NULL,
	  "messages per second at most, so that a receiver is not overrun (0: no limit)", 1, 1000000000,
	  "messages per second" },
	{ "pairs", OPTION_NUMBER, &verbs.pairs, "1", true, NULL,
	  "queue pairs that share the messages of a size, each with queues of the options' depths", 1, VERBS_PAIRS_MAX,
	  "queue pairs" },
	{ "completion-queues", OPTION_WORD, &verbs.completion_queues, "shared", true, "shared|each",
	  "whether all --pairs share a completion queue, or each has its own", 0, 0, NULL },
	{ "both", OPTION_FLAG, &options.both, "no", true, NULL,
	  "both ends send at once, each as many messages; the rate of each direction is reported", 0, 0, NULL },
	{ "tx-depth", OPTION_NUMBER, &verbs.tx_depth, "128", true, NULL, "requests in flight at most", 1, DEPTH_MAX,
	  "requests" },
	{ "rx-depth", OPTION_NUMBER, &verbs.rx_depth, "512", true, NULL, "receive requests kept posted", 1, DEPTH_MAX,
	  "requests" },
	{ "post-list", OPTION_NUMBER_OR_AUTO, &verbs.post_list, "auto", true, NULL, "messages posted by one call", 1,
	  DEPTH_MAX, "messages" },
	{ "signal-every", OPTION_NUMBER_OR_AUTO, &verbs.signal_every, "auto", true, NULL, "messages per completion", 1,
	  DEPTH_MAX, "messages" },
	{ "inline", OPTION_NUMBER_OR_AUTO, &verbs.inline_bytes, "auto", true, NULL,
	  "largest message sent inside its request (auto: 0; for latency, what the device grants up to 220)", 0,
	  INLINE_MAX, "bytes" },
	{ "mtu", OPTION_NUMBER_OR_AUTO, &verbs.mtu, "auto", true, NULL, "bytes per packet (auto: the port's)", 256,
	  4096, "bytes, a power of two from 256" },
	{ "relaxed-ordering", OPTION_WORD, &verbs.relaxed_ordering, "auto", true, "auto|yes|no",
	  "let writes of the device to memory pass each other on PCIe (auto: yes, except for latency of WRITE)", 0, 0,
	  NULL },
	{ "timeout", OPTION_NUMBER_OR_AUTO, &verbs.timeout, "auto", true, NULL,
	  "a message without an acknowledgement is sent again after 4.096 us x 2^timeout; 0: never (auto: 18 on "
	  "Soft-RoCE, else 14)",
	  0, 31, NULL },
	{ "rnr-timer", OPTION_NUMBER, &verbs.rnr_timer, "1", true, NULL,
	  "code of the time after which a message that found no receive request is sent again: 1 is 10 us, 12 is 0.64 "
	  "ms, 0 is 655 ms",
	  0, 31, NULL },
	{ "tclass", OPTION_NUMBER, &verbs.tclass, "0", true, NULL,
	  "traffic class of all packets; on RoCE v2, 4 times the DSCP", 0, UINT8_MAX, NULL },
	{ "sl", OPTION_NUMBER, &verbs.sl, "0", true, NULL, "service level; on RoCE, the priority of a VLAN's frames", 0,
	  15, NULL },
	{ "pkey-index", OPTION_NUMBER, &verbs.pkey_index, "0", true, NULL,
	  "the partition's index in each port's table of P_Keys", 0, UINT16_MAX, NULL },
	{ "device", OPTION_TEXT, &verbs.device, "", false, NULL,
	  "RDMA device (none: the one with the side channel's address, else the first with an active port)", 0, 0,
	  NULL },
	{ "ib-port", OPTION_NUMBER, &verbs.ib_port, "1", false, NULL, "its port", 1, UINT8_MAX, NULL },
	{ "gid-index", OPTION_NUMBER_OR_AUTO, &verbs.gid_index, "auto", false, NULL, "its address", 0,
	  VERBS_GID_INDEX_MAX, NULL },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

const struct verbs_options *verbs_options_get(void)
{
	return &verbs;
}
