/* Which device and address the verbs transport takes. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "check.h"
#include "fake_verbs.h"
#include "verbs.h"
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
	fake_verbs = (struct fake_verbs){ .devices = devices, .device_count = count };
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
	assert_in_range(path.gid_index, 0, 255);
	ibv_close_device(path.context);
}

static void check_gid_index(void *index)
{
	const struct options o = options_of(SERVER);

	verbs_set_defaults();
	verbs_set("gid-index", *(uint64_t *)index);
	verbs_options_check(&o);
}

static void a_gid_index_above_255_is_refused(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(in_child(check_gid_index, &(uint64_t){ 255 }, said, sizeof(said)), 0);
	assert_int_equal(in_child(check_gid_index, &(uint64_t){ 256 }, said, sizeof(said)), 2);
	assert_non_null(strstr(said, "--gid-index 256: between 0 and 255"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_with_the_side_channels_address_comes_before_the_first),
		cmocka_unit_test(without_an_active_port_there_is_no_device),
		cmocka_unit_test(the_address_is_found_among_300),
		cmocka_unit_test(an_index_that_no_address_handle_holds_is_not_chosen),
		cmocka_unit_test(a_gid_index_above_255_is_refused),
	};

	return cmocka_run_group_tests_name("verbs_path", tests, NULL, NULL);
}
