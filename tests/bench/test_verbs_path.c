/* The way that is taken, and each call that fails: verbs_{address,connect,device,gid,options,status}.c. */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include "bench.h"
#include "check.h"
#include "fake_verbs.h"
#include "rules.h"
#include "two_ends.h"
#include "verbs.h"
#include "verbs_device.h"
#include "verbs_set.h"

#define GIDS 300

#define GID_OF(last)                                                                                                   \
	{ .gid.raw = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = (last) },                                          \
	  .port_num = 1,                                                                                               \
	  .gid_type = IBV_GID_TYPE_ROCE_V2 }

static const struct ibv_gid_entry own = GID_OF(1), foreign = GID_OF(2);
static const struct ibv_gid_entry native = { .gid.raw = { 0xfe, 0x80, [15] = 1 }, .port_num = 1 };

static struct fake_device device(const char *name, const struct ibv_gid_entry *gids, size_t count)
{
	return (struct fake_device){ .name = name,
				     .newer_calls = true,
				     .port = { .state = IBV_PORT_ACTIVE,
					       .active_mtu = IBV_MTU_4096,
					       .gid_tbl_len = (int)count,
					       .max_msg_sz = 1 << 30,
					       .lid = 7,
					       .link_layer = IBV_LINK_LAYER_ETHERNET },
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

/* Of an end whose side channel comes from 127.0.0.1. */
static struct verbs_path choose(void)
{
	const struct options o = options_of(SERVER);
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int side = socket(AF_INET, SOCK_STREAM, 0);
	struct verbs_path path;

	assert_int_equal(bind(side, (const struct sockaddr *)&address, sizeof(address)), 0);
	path = verbs_path_choose(&o, verbs_options_get(), side);
	close(side);
	return path;
}

static void expect_device(const struct fake_device *devices, int count, const char *name)
{
	struct verbs_path path;

	use(devices, count);
	path = choose();
	assert_string_equal(ibv_get_device_name(path.context->device), name);
	ibv_close_device(path.context);
}

static void the_device_with_the_side_channels_address_comes_before_the_first(void **state)
{
	struct fake_device devices[] = { device("a", &foreign, 1), device("b", &native, 0), device("c", &own, 1) };

	(void)state;
	expect_device(devices, 3, "c");
	devices[2].port.state = IBV_PORT_DOWN;
	expect_device(devices, 3, "a");
	devices[0].port.state = IBV_PORT_DOWN;
	devices[1].gids = &native;
	devices[1].gid_count = devices[1].port.gid_tbl_len = 1;
	expect_device(devices, 3, "b");
}

static void choose_among(void *devices)
{
	use(devices, 1);
	choose();
}

static void without_an_active_port_there_is_no_device(void **state)
{
	struct fake_device only = device("a", &own, 1);
	char said[256];

	(void)state;
	only.port.state = IBV_PORT_DOWN;
	assert_int_equal(in_child(choose_among, &only, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "no RDMA device with an active port 1"));
}

static void fill_table(struct ibv_gid_entry *gids, uint32_t own_index)
{
	for (uint32_t i = 0; i < GIDS; i++) {
		gids[i] = i == own_index ? own : foreign;
		gids[i].gid.raw[13] = i == own_index ? 0 : (uint8_t)(1 + i / 250);
		gids[i].gid_index = i;
	}
}

static void the_address_is_found_among_300(void **state)
{
	struct ibv_gid_entry gids[GIDS];
	const struct fake_device only = device("a", gids, GIDS);
	struct verbs_path path;

	(void)state;
	fill_table(gids, 255);
	use(&only, 1);
	path = choose();
	assert_int_equal(path.gid_index, 255);
	ibv_close_device(path.context);
	verbs_set("gid-index", 17);
	path = choose();
	assert_int_equal(path.gid_index, 17);
	ibv_close_device(path.context);
}

static void an_index_that_no_address_handle_holds_is_not_chosen(void **state)
{
	struct ibv_gid_entry gids[GIDS];
	const struct fake_device only = device("a", gids, GIDS);
	struct verbs_path path;

	(void)state;
	fill_table(gids, 270);
	use(&only, 1);
	path = choose();
	assert_true(path.gid_index <= 255);
	ibv_close_device(path.context);
}

static void give_gid_index(void *index)
{
	char *words[] = { "server", "--gid-index", index, NULL };

	options_parse(3, words, SERVER, verbs_option_specs);
}

static void a_gid_index_above_255_is_refused(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(in_child(give_gid_index, "255", said, sizeof(said)), 0);
	assert_int_equal(in_child(give_gid_index, "256", said, sizeof(said)), 2);
	assert_non_null(strstr(said, "--gid-index 256: between 0 and 255"));
}

static void relax_the_latency_of_write(void *unused)
{
	char *words[] = { "server", "--relaxed-ordering", "yes", "--measure", "latency", NULL };

	(void)unused;
	rules_check(options_parse(5, words, SERVER, verbs_option_specs));
}

static void relaxed_ordering_is_refused_where_the_last_byte_must_land_last(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(in_child(relax_the_latency_of_write, NULL, said, sizeof(said)), 2);
	assert_non_null(strstr(said, "--relaxed-ordering: auto or no: a WRITE's target polls the last byte"));
}

/* Both ends, each with a device of its own: server 0, client 1. They connect, and one message goes there and back. */
struct pair {
	struct fake_device devices[2];
	uint64_t gid_indexes[2];
	enum operation operation;
	enum wait wait;
	enum measure measure; /* of throughput they connect only */
	const char *option;   /* one more that is set, or NULL */
	uint64_t value;
	struct fake_verbs faults; /* of the calls that the client makes after the server has said that it is ready */
	int post_recv_error;      /* from the beginning */
};

static struct pair now;

static struct pair pair(uint8_t link_layer)
{
	struct pair p = { .devices = { device("server0", &own, 1), device("client0", &own, 1) },
			  .gid_indexes = { AUTO, AUTO },
			  .operation = OP_SEND,
			  .measure = LATENCY };

	for (int i = 0; i < 2; i++) {
		p.devices[i].port.link_layer = link_layer;
		if (link_layer == IBV_LINK_LAYER_INFINIBAND)
			p.devices[i].gids = &native;
	}
	return p;
}

static void inject(const struct fake_verbs *faults)
{
	fake_verbs.poll_result = faults->poll_result;
	fake_verbs.notify_error = faults->notify_error;
	fake_verbs.complete_error = faults->complete_error;
	errno = EDOM; /* that nobody asked for */
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
	} else {
		verbs_transport.await(l);
		inject(&now.faults);
		verbs_transport.pings(l, 1, &stamp);
		verbs_transport.finish(l);
	}
}

static void run_end(enum role role, int side)
{
	struct options o = options_of(role);
	struct link *l;

	o.wait = now.wait;
	o.measure = now.measure;
	verbs_set_text("device", now.devices[role].name);
	verbs_set("gid-index", now.gid_indexes[role]);
	l = verbs_transport.open(&o, &(struct session){ .peer = side, .listener = -1 });
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
	errno = EDOM;
	fake_verbs.post_recv_error = now.post_recv_error;
	two_ends_run(run_end);
	fprintf(stderr, "route: %s\nimmediate: %x\ncalls: %s\n", fake_verbs.route.is_global ? "global" : "local",
		ntohl(fake_verbs.immediate), fake_verbs.extended ? "newer" : "older");
	fprintf(stderr, "inline: %u\norder: %s\ntimeout: %u\nRNR timer: %u\n", fake_verbs.inline_most,
		fake_verbs.access & IBV_ACCESS_RELAXED_ORDERING ? "relaxed" : "strict", fake_verbs.timeout,
		fake_verbs.rnr_timer);
}

/* In a child, since the sanitizer has something to say of the second stack. */
static void expect_said(struct pair p, const char *line)
{
	char said[4096];

	assert_int_equal(in_child(run_pair, &p, said, sizeof(said)), 0);
	if (!strstr(said, line))
		fail_msg("not '%s' but '%s'", line, said);
}

static void roce_is_routed_by_gids(void **state)
{
	(void)state;
	expect_said(pair(IBV_LINK_LAYER_ETHERNET), "route: global");
}

static void infiniband_carries_no_gids_where_lids_reach(void **state)
{
	(void)state;
	expect_said(pair(IBV_LINK_LAYER_INFINIBAND), "route: local");
}

/* What one end needs both must do: a queue pair takes in no packet of the other kind. */
static void infiniband_carries_gids_where_one_end_asks_for_them(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_INFINIBAND);

	(void)state;
	p.gid_indexes[SERVER] = 0;
	expect_said(p, "route: global");
	p = pair(IBV_LINK_LAYER_INFINIBAND);
	p.gid_indexes[CLIENT] = 0;
	expect_said(p, "route: global");
	p = pair(IBV_LINK_LAYER_INFINIBAND);
	p.devices[CLIENT].port.flags = IBV_QPF_GRH_REQUIRED;
	expect_said(p, "route: global");
}

static void infiniband_carries_gids_where_lids_do_not_reach(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_INFINIBAND);
	struct ibv_gid_entry elsewhere = native;

	(void)state;
	p.devices[SERVER].port.lid = 0;
	expect_said(p, "route: global");
	p = pair(IBV_LINK_LAYER_INFINIBAND);
	elsewhere.gid.raw[7] = 1;
	p.devices[SERVER].gids = &elsewhere;
	expect_said(p, "route: global");
}

static void a_control_message_is_big_endian_on_the_wire(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	expect_said(p, "immediate: 1abc0de0");
}

static void only_reads_that_are_polled_for_take_the_newer_calls(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	expect_said(p, "calls: older");
	p.operation = OP_READ;
	expect_said(p, "calls: newer");
	p.wait = WAIT_EVENT;
	expect_said(p, "calls: older");
}

static void a_device_that_refuses_the_newer_calls_without_a_reason_takes_the_older_ones(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	p.operation = OP_READ;
	p.devices[SERVER].refuses_silently = p.devices[CLIENT].refuses_silently = true;
	expect_said(p, "calls: older");
}

static void only_pings_are_sent_inline_unless_an_option_asks_for_it(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	expect_said(p, "inline: 220\n");
	p.devices[SERVER].inline_limit = p.devices[CLIENT].inline_limit = 100;
	expect_said(p, "inline: 64\n");
	p.measure = THROUGHPUT;
	expect_said(p, "inline: 0\n");
	p.option = "inline";
	p.value = 7;
	expect_said(p, "inline: 7\n");
}

static void writes_to_memory_may_pass_each_other_unless_a_receiver_polls_it(void **state)
{
	static const struct {
		enum operation operation;
		enum measure measure;
		const char *order;
	} expected[] = { { OP_WRITE, LATENCY, "order: strict" },
			 { OP_WRITE, THROUGHPUT, "order: relaxed" },
			 { OP_READ, LATENCY, "order: relaxed" },
			 { OP_SEND, LATENCY, "order: relaxed" } };
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		p.operation = expected[i].operation;
		p.measure = expected[i].measure;
		p.wait = p.operation == OP_WRITE ? WAIT_YIELD : WAIT_POLL;
		expect_said(p, expected[i].order);
	}
	p.option = "relaxed-ordering";
	p.value = RELAXED_NO;
	expect_said(p, "order: strict");
}

static void the_timeout_is_perftests_but_on_soft_roce_or_where_it_is_given(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	expect_said(p, "timeout: 14\n");
	p.devices[SERVER].vendor_id = p.devices[CLIENT].vendor_id = 0xffffff;
	expect_said(p, "timeout: 18\n");
	p.option = "timeout";
	p.value = 0;
	expect_said(p, "timeout: 0\n");
}

static void a_message_without_a_receive_request_is_sent_again_after_10_us_or_the_given_time(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	expect_said(p, "RNR timer: 1\n");
	p.option = "rnr-timer";
	p.value = 31;
	expect_said(p, "RNR timer: 31\n");
}

static void expect_sentence(struct pair p, const char *sentence)
{
	char said[4096];

	assert_int_equal(in_child(run_pair, &p, said, sizeof(said)), 1);
	if (!strstr(said, sentence))
		fail_msg("not '%s' but '%s'", sentence, said);
}

static void a_port_that_carries_no_message_is_refused_whosever_it_is(void **state)
{
	(void)state;
	for (enum role role = SERVER; role <= CLIENT; role++) {
		struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

		p.devices[role].port.max_msg_sz = 0;
		expect_sentence(p, role == SERVER ? "the longest message is 1073741824 bytes here and 0 there" :
						    "the longest message is 0 bytes here and 1073741824 there");
	}
}

static void a_poll_that_fails_says_so(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	p.faults.poll_result = -2;
	expect_sentence(p, "ibv_poll_cq: error -2");
	p.operation = OP_READ;
	expect_sentence(p, "ibv_poll_cq: error -2");
	p.devices[CLIENT].newer_calls = false;
	expect_sentence(p, "ibv_poll_cq: error -2");
}

static void an_errno_from_before_is_no_reason_for_a_missing_queue_pair(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	p.option = "inline";
	p.value = FAKE_INLINE_MAX + 1;
	expect_sentence(p, "ibv_create_qp: Invalid argument; this device");
	p.devices[SERVER].refuses_silently = true;
	expect_sentence(p, "ibv_create_qp: no reason given; this device");
}

static void a_call_that_returns_its_error_is_quoted_with_it(void **state)
{
	struct pair p = pair(IBV_LINK_LAYER_ETHERNET);

	(void)state;
	p.post_recv_error = ENOMEM;
	expect_sentence(p, "ibv_post_recv: Cannot allocate memory");
	p.post_recv_error = 0;
	p.operation = OP_READ;
	p.faults.complete_error = EINVAL;
	expect_sentence(p, "ibv_wr_complete: Invalid argument");
	p.wait = WAIT_EVENT;
	p.faults.notify_error = EIO;
	expect_sentence(p, "ibv_req_notify_cq: Input/output error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_with_the_side_channels_address_comes_before_the_first),
		cmocka_unit_test(without_an_active_port_there_is_no_device),
		cmocka_unit_test(the_address_is_found_among_300),
		cmocka_unit_test(an_index_that_no_address_handle_holds_is_not_chosen),
		cmocka_unit_test(a_gid_index_above_255_is_refused),
		cmocka_unit_test(relaxed_ordering_is_refused_where_the_last_byte_must_land_last),
		cmocka_unit_test(roce_is_routed_by_gids),
		cmocka_unit_test(infiniband_carries_no_gids_where_lids_reach),
		cmocka_unit_test(infiniband_carries_gids_where_one_end_asks_for_them),
		cmocka_unit_test(infiniband_carries_gids_where_lids_do_not_reach),
		cmocka_unit_test(a_control_message_is_big_endian_on_the_wire),
		cmocka_unit_test(a_port_that_carries_no_message_is_refused_whosever_it_is),
		cmocka_unit_test(only_pings_are_sent_inline_unless_an_option_asks_for_it),
		cmocka_unit_test(writes_to_memory_may_pass_each_other_unless_a_receiver_polls_it),
		cmocka_unit_test(the_timeout_is_perftests_but_on_soft_roce_or_where_it_is_given),
		cmocka_unit_test(a_message_without_a_receive_request_is_sent_again_after_10_us_or_the_given_time),
		cmocka_unit_test(only_reads_that_are_polled_for_take_the_newer_calls),
		cmocka_unit_test(a_device_that_refuses_the_newer_calls_without_a_reason_takes_the_older_ones),
		cmocka_unit_test(an_errno_from_before_is_no_reason_for_a_missing_queue_pair),
		cmocka_unit_test(a_poll_that_fails_says_so),
		cmocka_unit_test(a_call_that_returns_its_error_is_quoted_with_it),
	};

	return cmocka_run_group_tests_name("verbs_path", tests, NULL, NULL);
}
