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
	struct fake_verbs faults; /* of the client's calls after the server has reported that it is ready */
	int post_recv_error;      /* from the beginning */
	void (*idle)(void);       /* what a waiting end does; NULL: it lets the other one run */
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
	fake_verbs.poll_result = now.faults.poll_result;
	fake_verbs.notify_error = now.faults.notify_error;
	fake_verbs.complete_error = now.faults.complete_error;
	fake_verbs.write_status = now.faults.write_status;
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
	fake_verbs.post_recv_error = now.post_recv_error;
	two_ends_run(run_end);
	fprintf(stderr, "route: %s\nimmediate: %x\ncalls: %s\n", fake_verbs.route.is_global ? "global" : "local",
		ntohl(fake_verbs.immediate), fake_verbs.extended ? "newer" : "older");
	fprintf(stderr, "inline: %u\norder: %s\ntimeout: %u\nRNR timer: %u\n", fake_verbs.inline_most,
		fake_verbs.access & IBV_ACCESS_RELAXED_ORDERING ? "relaxed" : "strict", fake_verbs.timeout,
		fake_verbs.rnr_timer);
	fprintf(stderr, "class %u, level %u, partition %u\n", fake_verbs.route.grh.traffic_class, fake_verbs.route.sl,
		fake_verbs.pkey_index);
	fprintf(stderr, "reads: %u of %u\nvectors: %d %d\n", fake_verbs.reads, fake_verbs.dest_reads,
		fake_verbs.vectors[0], fake_verbs.vectors[1]);
}

/* In a child, since the sanitiser complains of the second stack. */
static void expect(struct pair p, const char *line)
{
	check_child(run_pair, &p, 0, line);
}

static void expect_option(struct pair p, const char *option, uint64_t value, const char *line)
{
	p.option = option;
	p.value = value;
	expect(p, line);
}

static void expect_error(struct pair p, const char *text)
{
	check_child(run_pair, &p, 1, text);
}

TEST(roce_needs_gids_and_infiniband_only_where_lids_do_not_reach_or_an_end_asks)
{
	struct pair pairs[5]; /* of InfiniBand, each with one reason for GIDs: both ends use them then */

	expect(pair(ETHERNET), "route: global");
	expect(pair(ETHERNET), "immediate: 1abc0de0"); /* big-endian as sent */
	expect(pair(INFINIBAND), "route: local");
	for (size_t i = 0; i < COUNT(pairs); i++)
		pairs[i] = pair(INFINIBAND);
	pairs[0].gid_indexes[SERVER] = 0;
	pairs[1].gid_indexes[CLIENT] = 0;
	pairs[2].devices[CLIENT].port.flags = IBV_QPF_GRH_REQUIRED;
	pairs[3].devices[SERVER].port.lid = 0;
	pairs[4].devices[SERVER].gids = &other_subnet;
	for (size_t i = 0; i < COUNT(pairs); i++)
		expect(pairs[i], "route: global");
}

TEST(only_reads_that_are_polled_for_use_the_newer_calls_where_the_device_has_them)
{
	struct pair p = pair(ETHERNET);

	expect(p, "calls: older");
	p.operation = OP_READ;
	expect(p, "calls: newer");
	p.wait = WAIT_EVENT;
	expect(p, "calls: older");
	p.wait = WAIT_POLL;
	p.devices[SERVER].refuses_silently = p.devices[CLIENT].refuses_silently = true;
	expect(p, "calls: older");
}

TEST(only_pings_are_sent_inline_unless_an_option_asks_for_it)
{
	struct pair p = pair(ETHERNET);

	expect(p, "inline: 220\n");
	p.devices[SERVER].inline_limit = p.devices[CLIENT].inline_limit = 100;
	expect(p, "inline: 64\n");
	p.measure = THROUGHPUT;
	expect(p, "inline: 0\n");
	expect_option(p, "inline", 7, "inline: 7\n");
}

TEST(relaxed_ordering_is_used_unless_a_receiver_polls_memory)
{
	static const struct {
		enum operation operation;
		enum measure measure;
		const char *order;
	} cases[] = { { OP_WRITE, LATENCY, "order: strict" },
		      { OP_WRITE, THROUGHPUT, "order: relaxed" },
		      { OP_READ, LATENCY, "order: relaxed" },
		      { OP_SEND, LATENCY, "order: relaxed" } };
	struct pair p = pair(ETHERNET);

	for (size_t i = 0; i < COUNT(cases); i++) {
		p.operation = cases[i].operation;
		p.measure = cases[i].measure;
		p.wait = p.operation == OP_WRITE ? WAIT_YIELD : WAIT_POLL;
		expect(p, cases[i].order);
	}
	expect_option(p, "relaxed-ordering", RELAXED_NO, "order: strict");
}

TEST(timers_are_those_of_perftest_except_on_soft_roce_or_by_an_option)
{
	struct pair p = pair(ETHERNET);

	expect(p, "timeout: 14\n");
	expect(p, "RNR timer: 1\n"); /* 10 us */
	expect_option(p, "rnr-timer", 31, "RNR timer: 31\n");
	p.devices[SERVER].vendor_id = p.devices[CLIENT].vendor_id = 0xffffff;
	expect(p, "timeout: 18\n");
	expect_option(p, "timeout", 0, "timeout: 0\n");
}

TEST(packets_have_the_traffic_class_service_level_and_partition_of_the_options)
{
	struct pair p = pair(ETHERNET);

	p.devices[SERVER].port.pkey_tbl_len = p.devices[CLIENT].port.pkey_tbl_len = 8;
	expect(p, "class 0, level 0, partition 0\n");
	expect_option(p, "tclass", 106, "class 106, level 0, partition 0\n");
	expect_option(p, "sl", 3, "class 0, level 3, partition 0\n");
	expect_option(p, "pkey-index", 7, "class 0, level 0, partition 7\n");
	p.option = "pkey-index";
	p.value = 8;
	expect_error(p, "--pkey-index 8: the last P_Key of this port has index 7");
	expect_option(pair(INFINIBAND), "sl", 3, "route: local");
	expect_option(pair(INFINIBAND), "tclass", 1, "route: global"); /* the class is in the header for GIDs */
}

/* What drivers refuse and round, by rdma-core's providers (v50) and the kernel's drivers (6.1):
 * mlx4: mlx4_create_qp_ex() takes no send operations, mlx4_calc_sq_wqe_size() and align_queue_size() round up, and no
 * refusal sets errno; mlx5: mlx5_calc_sq_size() rounds up; irdma: irdma_ucreate_qp() bounds inline data by 101 bytes,
 * older ones without errno, and there are no newer calls; bnxt_re: bnxt_re_check_qp_limits() bounds inline data by 96
 * bytes and shortens queues, and bnxt_re_modify_qp() bounds max_dest_rd_atomic by max_qp_init_rd_atom; efa:
 * efa_create_qp() makes UD only, and efa_reg_mr() allows no remote access. */
TEST(each_provider_gets_what_it_can_do_or_is_refused_by_name)
{
	static const struct {
		struct fake_device is;
		enum operation operation;
		const char *found;
		int status;
	} cases[] = {
		{ { .name = "mlx4", true, .refuses_silently = true, .rounds_up = true, .room_limit = 16384 },
		  OP_READ,
		  "calls: older\ninline: 220\n",
		  0 },
		{ { .name = "mlx5", true, .rounds_up = true, .room_limit = 32768 },
		  OP_READ,
		  "calls: newer\ninline: 220\n",
		  0 },
		{ { .name = "mlx5", true, .rounds_up = true, .room_limit = 256 },
		  OP_SEND,
		  "ibv_create_qp: Invalid argument; this device takes at most 256 requests: lower --tx-depth",
		  1 },
		{ { .name = "irdma", .refuses_silently = true, .inline_limit = 101, .room_limit = 4096 },
		  OP_READ,
		  "calls: older\ninline: 64\n",
		  0 },
		{ { .name = "bnxt_re", true, .inline_limit = 96, .room_limit = 4096, .shortens_queues = true },
		  OP_SEND,
		  "inline: 64\n",
		  0 },
		{ { .name = "bnxt_re", true, .reads = 126, .init_reads = 8 }, OP_READ, "reads: 8 of 8\n", 0 },
		{ { .name = "bnxt_re", true, .room_limit = 256, .shortens_queues = true },
		  OP_SEND,
		  "this device's queues take 128 sends and 256 receives: lower",
		  1 },
		{ { .name = "efa", true, .is_datagram_only = true },
		  OP_SEND,
		  "ibv_create_qp: Operation not supported, for one request too: this device makes no reliable "
		  "connections (RC)",
		  1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p = pair(ETHERNET);

		p.operation = cases[i].operation;
		for (int end = 0; end < 2; end++) {
			const struct fake_device old = p.devices[end];

			p.devices[end] = cases[i].is;
			p.devices[end].name = old.name;
			p.devices[end].port = old.port;
			p.devices[end].gids = old.gids;
			p.devices[end].gid_count = old.gid_count;
		}
		check_child(run_pair, &p, cases[i].status, cases[i].found);
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
	expect_error(p, "the longest message is 1073741824 bytes here and 0 there");
	p = pair(ETHERNET);
	p.devices[CLIENT].port.max_msg_sz = 0;
	expect_error(p, "the longest message is 0 bytes here and 1073741824 there");
}

TEST(a_call_that_fails_is_named_with_its_error_and_no_earlier_one)
{
	struct pair p = pair(ETHERNET);

	p.faults.poll_result = -2;
	expect_error(p, "ibv_poll_cq: error -2");
	p.operation = OP_READ;
	expect_error(p, "ibv_poll_cq: error -2");
	p.devices[CLIENT].newer_calls = false;
	expect_error(p, "ibv_poll_cq: error -2");

	p = pair(ETHERNET);
	p.post_recv_error = ENOMEM;
	expect_error(p, "ibv_post_recv: Cannot allocate memory");
	p.post_recv_error = 0;
	p.operation = OP_READ;
	p.faults.complete_error = EINVAL;
	expect_error(p, "ibv_wr_complete: Invalid argument");
	p.wait = WAIT_EVENT;
	p.faults.notify_error = EIO;
	expect_error(p, "ibv_req_notify_cq: Input/output error");

	p = pair(ETHERNET);
	p.option = "inline";
	p.value = FAKE_INLINE_MAX + 1;
	expect_error(p, "ibv_create_qp: Invalid argument; this device");
	p.devices[SERVER].refuses_silently = true;
	expect_error(p, "ibv_create_qp: no reason given; this device");
}

int main(void)
{
	return check_run("path", NULL, NULL);
}
