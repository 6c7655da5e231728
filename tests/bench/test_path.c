/* The chosen device and path, what a queue pair is set to, and each call that fails:
 * verbs_{address,connect,device,options,queue}.c. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "check.h"
#include "fake_verbs.h"
#include "rules.h"
#include "run.h"
#include "transport.h"
#include "verbs_device.h"
#include "watch.h"

#define GIDS 300
#define ETHERNET IBV_LINK_LAYER_ETHERNET
#define INFINIBAND IBV_LINK_LAYER_INFINIBAND

#define GID_OF(last)                                                                                                   \
	{ .gid.raw = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = (last) },                                          \
	  .port_num = 1,                                                                                               \
	  .gid_type = IBV_GID_TYPE_ROCE_V2 }

/* 127.0.0.1 is the address of the side channel. */
static const struct ibv_gid_entry side = GID_OF(1), foreign = GID_OF(2);
static const struct ibv_gid_entry native = { .gid.raw = { 0xfe, 0x80, [15] = 1 }, .port_num = 1 };
static const struct ibv_gid_entry other_subnet = { .gid.raw = { 0xfe, 0x80, [7] = 1, [15] = 1 }, .port_num = 1 };

static struct fake_device device(const char *name, const struct ibv_gid_entry *gids, size_t count)
{
	return (struct fake_device){ .name = name,
				     .newer_calls = true,
				     .port = { .state = IBV_PORT_ACTIVE,
					       .active_mtu = IBV_MTU_4096,
					       .gid_tbl_len = (int)count,
					       .max_msg_sz = 1 << 30,
					       .pkey_tbl_len = 8,
					       .lid = 7,
					       .link_layer = ETHERNET },
				     .gids = gids,
				     .gid_count = count };
}

static struct options options_of(enum role role)
{
	return (struct options){ .role = role,
				 .measure = LATENCY,
				 .sizes = { .count = 1, .plans = { { 8, 2, 0 } } },
				 .windows = 20,
				 .deadline_s = 10 };
}

static void use(const struct fake_device *devices, int count)
{
	fake_verbs = (struct fake_verbs){ .devices = devices, .device_count = count, .idle = two_ends_switch };
	verbs_set_defaults();
}

/* The path of a server whose side channel has the address 127.0.0.1; its device is closed. */
static struct verbs_path choose(const char *name)
{
	const struct options o = options_of(SERVER);
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct verbs_path path;

	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	path = verbs_path_choose(&o, verbs_options_get(), fd);
	close(fd);
	assert_string_equal(ibv_get_device_name(path.context->device), name);
	ibv_close_device(path.context);
	return path;
}

TEST(the_device_with_the_side_channels_address_comes_before_the_first_one)
{
	struct fake_device devices[] = { device("a", &foreign, 1), device("b", &native, 0), device("c", &side, 1) };

	use(devices, 3);
	choose("c");
	devices[2].port.state = IBV_PORT_DOWN;
	choose("a");
	devices[0].port.state = IBV_PORT_DOWN;
	devices[1].gids = &native;
	devices[1].gid_count = devices[1].port.gid_tbl_len = 1;
	choose("b");
}

static void choose_among(void *devices)
{
	use(devices, 1);
	choose("a");
}

TEST(a_device_without_an_active_port_is_not_used)
{
	struct fake_device only = device("a", &side, 1);

	only.port.state = IBV_PORT_DOWN;
	check_child(choose_among, &only, 1, "no RDMA device with an active port 1");
}

static void choose_named(void *name)
{
	verbs_set_text("device", name);
	choose(name);
}

TEST(a_device_that_cannot_be_opened_is_passed_over_unless_it_is_named)
{
	struct fake_device devices[] = { device("a", &side, 1), device("b", &foreign, 1) };

	devices[0].open_error = EACCES;
	use(devices, 2);
	choose("b");
	check_child(choose_named, "a", 1, "can't open RDMA device a: Permission denied; check");
	check_child(choose_among, devices, 1, "can't open RDMA device with an active port: Permission denied");
}

TEST(the_gid_of_the_side_channel_is_found_up_to_index_255)
{
	struct ibv_gid_entry gids[GIDS];
	const struct fake_device only = device("a", gids, GIDS);

	use(&only, 1);
	for (uint32_t at = 255; at <= 270; at += 15) {
		for (uint32_t i = 0; i < GIDS; i++) {
			gids[i] = i == at ? side : foreign;
			gids[i].gid.raw[13] = i == at ? 0 : (uint8_t)(1 + i / 250);
			gids[i].gid_index = i;
		}
		if (at == 255)
			assert_int_equal(choose("a").gid_index, 255);
		else
			assert_true(choose("a").gid_index <= 255); /* an address handle has 8 bits for it */
	}
	verbs_set("gid-index", 17);
	assert_int_equal(choose("a").gid_index, 17);
}

static void parse(void *line)
{
	char *words[8] = { "server", strtok(strdup(line), " ") };
	int count = 2;

	while ((words[count] = strtok(NULL, " ")))
		count++;
	rules_check(options_parse(count, words, SERVER, verbs_option_specs));
}

TEST(impossible_options_are_refused)
{
	check_child(parse, "--gid-index 255", 0, NULL);
	check_child(parse, "--gid-index 256", 2, "--gid-index 256: between 0 and 255");
	check_child(parse, "--tclass 255 --sl 15 --pkey-index 65535", 0, NULL);
	check_child(parse, "--tclass 256", 2, "--tclass 256: between 0 and 255");
	check_child(parse, "--sl 16", 2, "--sl 16: between 0 and 15");
	check_child(parse, "--relaxed-ordering yes --measure latency", 2,
		    "--relaxed-ordering: auto or no: a WRITE's target polls the last byte");
}

/* Both ends, each with its device: 0 is the server's. They connect, and one message goes there and back. */
struct pair {
	struct fake_device devices[2];
	uint64_t gid_indexes[2];
	enum operation operation;
	enum wait wait;
	enum measure measure; /* for throughput they connect only */
	const char *option;   /* one more that is set, or NULL */
	uint64_t value;
	uint64_t core;
	struct fake_faults
		faults;     /* of the client's calls after the server is ready; post_recv_error: from the start */
	void (*idle)(void); /* what a waiting end does; NULL: it lets the other one run */
};

static struct pair now;

static struct pair pair(uint8_t link_layer)
{
	const struct ibv_gid_entry *gid = link_layer == INFINIBAND ? &native : &side;
	struct pair p = { .devices = { device("server0", gid, 1), device("client0", gid, 1) },
			  .gid_indexes = { AUTO, AUTO },
			  .core = AUTO,
			  .operation = OP_SEND,
			  .measure = LATENCY };

	p.devices[SERVER].port.link_layer = p.devices[CLIENT].port.link_layer = link_layer;
	return p;
}

static void ping_once(struct link *l, enum role role)
{
	struct flow f = { .size_bytes = 8, .iterations = 1, .slots = 1 };
	uint64_t stamp;

	verbs_transport.plan(l, &f);
	verbs_transport.begin(l, 1);
	if (role == SERVER) {
		verbs_transport.signal(l, CONTROL_GO);
		verbs_transport.pongs(l, 1);
		verbs_transport.arrive(l, NULL); /* a READ needs this end to the last */
		return;
	}
	verbs_transport.await(l);
	fake_verbs.faults = now.faults;
	errno = EDOM; /* of an earlier call */
	verbs_transport.pings(l, 1, &stamp);
	verbs_transport.finish(l);
}

static void run_end(enum role role, int fd)
{
	struct options o = options_of(role);
	struct link *l;

	o.wait = now.wait;
	o.core = now.core;
	o.measure = now.measure;
	verbs_set_text("device", now.devices[role].name);
	verbs_set("gid-index", now.gid_indexes[role]);
	l = verbs_transport.open(&o, &(struct session){ .peer = fd, .listener = -1 });
	if (o.measure == LATENCY)
		ping_once(l, role);
	verbs_transport.drain(l);
	verbs_transport.close(l);
}

static void run_pair(void *p)
{
	now = *(struct pair *)p;
	use(now.devices, 2);
	verbs_set("operation", now.operation);
	if (now.option)
		verbs_set(now.option, now.value);
	if (now.idle)
		fake_verbs.idle = now.idle;
	errno = EDOM;
	fake_verbs.faults.post_recv_error = now.faults.post_recv_error;
	two_ends_run(run_end);
	fprintf(stderr, "route: %s\nimmediate: %x\ncalls: %s\n", fake_verbs.rtr.ah_attr.is_global ? "global" : "local",
		ntohl(fake_verbs.immediate), fake_verbs.extended ? "newer" : "older");
	fprintf(stderr, "inline: %u\norder: %s\ntimeout: %u\nRNR timer: %u\n", fake_verbs.inline_most,
		fake_verbs.access & IBV_ACCESS_RELAXED_ORDERING ? "relaxed" : "strict", fake_verbs.rts.timeout,
		fake_verbs.rtr.min_rnr_timer);
	fprintf(stderr, "class %u, level %u, partition %u\n", fake_verbs.rtr.ah_attr.grh.traffic_class,
		fake_verbs.rtr.ah_attr.sl, fake_verbs.init.pkey_index);
	fprintf(stderr, "reads: %u of %u\nvectors: %d %d\n", fake_verbs.rts.max_rd_atomic,
		fake_verbs.rtr.max_dest_rd_atomic, fake_verbs.vectors[0], fake_verbs.vectors[1]);
}

/* In a child, since the sanitiser complains of the second stack. */
static void expect(struct pair p, const char *line)
{
	check_child(run_pair, &p, 0, line);
}

TEST(roce_needs_gids_and_infiniband_only_where_lids_do_not_reach_or_an_end_or_an_option_asks)
{
	struct pair pairs[6]; /* of InfiniBand, each with one reason for GIDs: both ends use them then */

	for (size_t i = 0; i < COUNT(pairs); i++)
		pairs[i] = pair(INFINIBAND);
	expect(pair(ETHERNET), "route: global");
	expect(pairs[0], "route: local");
	pairs[0].option = "sl";
	expect(pairs[0], "route: local");
	pairs[0].gid_indexes[SERVER] = 0;
	pairs[1].gid_indexes[CLIENT] = 0;
	pairs[2].devices[CLIENT].port.flags = IBV_QPF_GRH_REQUIRED;
	pairs[3].devices[SERVER].port.lid = 0;
	pairs[4].devices[SERVER].gids = &other_subnet;
	pairs[5].option = "tclass"; /* the class is in the header for GIDs */
	pairs[5].value = 1;
	for (size_t i = 0; i < COUNT(pairs); i++)
		expect(pairs[i], "route: global");
}

/* What drivers refuse and round, by rdma-core's providers (v50) and the kernel's drivers (6.1):
 * mlx4: mlx4_create_qp_ex() takes no send operations, mlx4_calc_sq_wqe_size() and align_queue_size() round up, and no
 * refusal sets errno; mlx5: mlx5_calc_sq_size() rounds up; irdma: irdma_ucreate_qp() bounds inline data by 101 bytes,
 * older ones without errno, and there are no newer calls; bnxt_re: bnxt_re_check_qp_limits() bounds inline data by 96
 * bytes and shortens queues, and bnxt_re_modify_qp() bounds max_dest_rd_atomic by max_qp_init_rd_atom; efa:
 * efa_create_qp() makes UD only, and efa_reg_mr() allows no remote access. */
static const struct {
	const char *printed;
	int status;
	bool reads, writes; /* in place of SENDs */
	bool connects_only;
	enum wait wait;
	const char *option;
	uint64_t value;
	struct fake_faults faults;
	struct fake_device is; /* without a name: a device with the newer calls */
} cases[] = {
	{ "immediate: 1abc0de0" }, /* big-endian as sent */
	/* only READs that are polled for use the newer calls, where the device has them */
	{ "calls: older" },
	{ "calls: newer", .reads = true },
	{ "calls: older", .reads = true, .wait = WAIT_EVENT },
	/* only pings are sent inline unless an option asks for it */
	{ "inline: 220\n" },
	{ "inline: 64\n", .is = { "short", true, .inline_limit = 100 } },
	{ "inline: 0\n", .connects_only = true },
	{ "inline: 7\n", .connects_only = true, .option = "inline", .value = 7 },
	/* relaxed ordering is used unless a receiver polls memory */
	{ "order: strict", .writes = true, .wait = WAIT_YIELD },
	{ "order: relaxed", .writes = true, .wait = WAIT_YIELD, .connects_only = true },
	{ "order: relaxed", .reads = true },
	{ "order: relaxed" },
	{ "order: strict", .option = "relaxed-ordering", .value = RELAXED_NO },
	/* timers are those of perftest except on Soft-RoCE or by an option */
	{ "timeout: 14\n" },
	{ "RNR timer: 1\n" }, /* 10 us */
	{ "RNR timer: 31\n", .option = "rnr-timer", .value = 31 },
	{ "timeout: 18\n", .is = { "rxe", true, .vendor_id = 0xffffff } },
	{ "timeout: 0\n", .option = "timeout", .value = 0, .is = { "rxe", true, .vendor_id = 0xffffff } },
	/* packets have the traffic class, service level and partition of the options */
	{ "class 0, level 0, partition 0\n" },
	{ "class 106, level 0, partition 0\n", .option = "tclass", .value = 106 },
	{ "class 0, level 3, partition 0\n", .option = "sl", .value = 3 },
	{ "class 0, level 0, partition 7\n", .option = "pkey-index", .value = 7 },
	{ "--pkey-index 8: the last P_Key of this port has index 7", 1, .option = "pkey-index", .value = 8 },
	/* each provider gets what it can do, or is refused by name */
	{ "calls: older\ninline: 220\n", .reads = true,
	  .is = { "mlx4", true, .refuses_silently = true, .rounds_up = true, .room_limit = 16384 } },
	{ "calls: newer\ninline: 220\n", .reads = true,
	  .is = { "mlx5", true, .rounds_up = true, .room_limit = 32768 } },
	{ "ibv_create_qp: Invalid argument; this device takes at most 256 requests: lower --tx-depth", 1,
	  .is = { "mlx5", true, .rounds_up = true, .room_limit = 256 } },
	{ "calls: older\ninline: 64\n", .reads = true,
	  .is = { "irdma", .refuses_silently = true, .inline_limit = 101, .room_limit = 4096 } },
	{ "inline: 64\n", .is = { "bnxt_re", true, .inline_limit = 96, .room_limit = 4096, .shortens_queues = true } },
	{ "reads: 8 of 8\n", .reads = true, .is = { "bnxt_re", true, .reads = 126, .init_reads = 8 } },
	{ "this device's queues take 128 sends and 256 receives: lower", 1,
	  .is = { "bnxt_re", true, .room_limit = 256, .shortens_queues = true } },
	{ "ibv_create_qp: Operation not supported, for one request too: this device makes no reliable connections (RC)",
	  1, .is = { "efa", true, .is_datagram_only = true } },
	/* a call that fails is named with its error and no earlier one */
	{ "ibv_poll_cq: error -2", 1, .faults.poll_result = -2 },
	{ "ibv_poll_cq: error -2", 1, .reads = true, .faults.poll_result = -2 },
	{ "ibv_poll_cq: error -2", 1, .reads = true, .faults.poll_result = -2, .is = { "older" } },
	{ "ibv_post_recv: Cannot allocate memory", 1, .faults.post_recv_error = ENOMEM },
	{ "ibv_wr_complete: Invalid argument", 1, .reads = true, .faults.complete_error = EINVAL },
	{ "ibv_req_notify_cq: Input/output error", 1, .reads = true, .wait = WAIT_EVENT, .faults.notify_error = EIO },
	{ "ibv_create_qp: Invalid argument; this device", 1, .option = "inline", .value = FAKE_INLINE_MAX + 1 },
	{ "ibv_create_qp: no reason given; this device", 1, .option = "inline", .value = FAKE_INLINE_MAX + 1,
	  .is = { "mlx4", true, .refuses_silently = true } },
};

TEST(options_and_devices_decide_how_a_queue_pair_is_set_up_or_why_not)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p = pair(ETHERNET);

		p.operation = cases[i].writes ? OP_WRITE : cases[i].reads ? OP_READ : OP_SEND;
		p.wait = cases[i].wait;
		p.measure = cases[i].connects_only ? THROUGHPUT : LATENCY;
		p.option = cases[i].option;
		p.value = cases[i].value;
		p.faults = cases[i].faults;
		for (struct fake_device *d = p.devices; d < p.devices + 2 && cases[i].is.name; d++) {
			const struct fake_device usual = *d;

			*d = cases[i].is;
			d->name = usual.name;
			d->port = usual.port;
			d->gids = usual.gids;
			d->gid_count = usual.gid_count;
		}
		check_child(run_pair, &p, cases[i].status, cases[i].printed);
	}
}

TEST(both_queues_interrupt_the_cpu_that_the_program_is_pinned_to)
{
	struct pair p = pair(ETHERNET);

	p.devices[SERVER].vectors = p.devices[CLIENT].vectors = 4;
	expect(p, "vectors: 0 1\n");
	p.core = 6;
	expect(p, "vectors: 2 2\n");
}

/* In place of the timer: two ticks a wait, of which the second finds no progress. */
static void tick_and_switch(void)
{
	static volatile bool ticks;

	if (ticks) /* a poll of the signal handler, which does not wait */
		return;
	ticks = true;
	raise(SIGALRM);
	raise(SIGALRM);
	ticks = false;
	two_ends_switch();
}

static void run_ticking_pair(void *p)
{
	watch_deadline(86400);
	now = *(struct pair *)p;
	now.idle = tick_and_switch;
	run_pair(&now);
}

/* It polls memory, where nothing arrives. */
TEST(a_write_ping_that_fails_is_reported_at_the_next_tick_and_one_that_succeeds_is_not_lost)
{
	struct pair p = pair(ETHERNET);

	p.operation = OP_WRITE;
	p.wait = WAIT_YIELD;
	check_child(run_ticking_pair, &p, 0, "route: global");
	p.faults.write_status = IBV_WC_RETRY_EXC_ERR;
	check_child(run_ticking_pair, &p, 1, "work completion failed: failure (status 12");
}

TEST(a_port_that_carries_no_message_is_refused_at_either_end)
{
	struct pair p = pair(ETHERNET);

	p.devices[SERVER].port.max_msg_sz = 0;
	check_child(run_pair, &p, 1, "the longest message is 1073741824 bytes here and 0 there");
	p = pair(ETHERNET);
	p.devices[CLIENT].port.max_msg_sz = 0;
	check_child(run_pair, &p, 1, "the longest message is 0 bytes here and 1073741824 there");
}

RUN_TESTS("path", NULL, NULL)
