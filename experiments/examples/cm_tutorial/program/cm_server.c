/* Answers every message, until its client disconnects. */
#include "common.h"

static void serve(struct connection *conn)
{
	for (int left = MESSAGES; left > 0;)
		for (int received = await_completions(conn); received > 0; received--, left--) {
			post_receive(conn);
			strcpy(conn->send_region, "message from passive/server side");
			post_send(conn);
		}
}

static int on_event(struct rdma_cm_event *event)
{
	struct rdma_conn_param params = { .initiator_depth = 1, .responder_resources = 1, .rnr_retry_count = 7 };

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		printf("received connection request.\n");
		build_connection(event->id);
		TEST_NZ(rdma_accept(event->id, &params));
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		serve(event->id->context);
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		printf("peer disconnected.\n");
		return 1;
	default:
		die("on_event: unknown event.");
	}
	return 1;
}

int main(void)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *listener;
	struct rdma_event_channel *ec;
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP }, *addr;
	int over = 0;

	TEST_NZ(rdma_getaddrinfo(NULL, DEFAULT_PORT, &hints, &addr));
	TEST_Z(ec = rdma_create_event_channel());
	TEST_NZ(rdma_create_id(ec, &listener, NULL, RDMA_PS_TCP));
	TEST_NZ(rdma_bind_addr(listener, addr->ai_src_addr));
	TEST_NZ(rdma_listen(listener, 10));
	printf("listening on port %s.\n", DEFAULT_PORT);
	while (!over && rdma_get_cm_event(ec, &event) == 0) {
		struct rdma_cm_event copy = *event;

		rdma_ack_cm_event(event);
		over = on_event(&copy);
	}
	return 0;
}
