/* cm_client <server-address>: sends a message, waits for the answer, and again. */
#include <sys/time.h>

#include "common.h"

#define TIMEOUT_IN_MS 500

static void exchange(struct connection *conn)
{
	struct timeval start, end;
	long us;

	gettimeofday(&start, NULL);
	for (int i = 0; i < MESSAGES; i++) {
		snprintf(conn->send_region, MESSAGE_SIZE, "message %d from active/client side", i);
		post_send(conn);
		while (!await_completions(conn))
			;
		post_receive(conn);
	}
	gettimeofday(&end, NULL);
	us = (end.tv_sec - start.tv_sec) * 1000000 + end.tv_usec - start.tv_usec;
	printf("last answer: %s\n", conn->recv_region);
	printf("%d round trips in %ld microseconds, %.2f microseconds each\n", MESSAGES, us, (double)us / MESSAGES);
}

static int on_event(struct rdma_cm_event *event)
{
	struct rdma_conn_param params = { .initiator_depth = 1, .responder_resources = 1, .rnr_retry_count = 7 };

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		printf("address resolved.\n");
		build_connection(event->id);
		TEST_NZ(rdma_resolve_route(event->id, TIMEOUT_IN_MS));
		return 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		printf("route resolved.\n");
		TEST_NZ(rdma_connect(event->id, &params));
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		exchange(event->id->context);
		TEST_NZ(rdma_disconnect(event->id));
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		printf("disconnected.\n");
		return 1;
	default:
		die("on_event: unknown event.");
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *conn;
	struct rdma_event_channel *ec;
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *addr;
	int over = 0;

	if (argc != 2)
		die("usage: cm_client <server-address>");
	TEST_NZ(rdma_getaddrinfo(argv[1], DEFAULT_PORT, &hints, &addr));
	TEST_Z(ec = rdma_create_event_channel());
	TEST_NZ(rdma_create_id(ec, &conn, NULL, RDMA_PS_TCP));
	TEST_NZ(rdma_resolve_addr(conn, NULL, addr->ai_dst_addr, TIMEOUT_IN_MS));
	while (!over && rdma_get_cm_event(ec, &event) == 0) {
		struct rdma_cm_event copy = *event;

		rdma_ack_cm_event(event);
		over = on_event(&copy);
	}
	return 0;
}
