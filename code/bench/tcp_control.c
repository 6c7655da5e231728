#include "tcp_control.h"

#include <arpa/inet.h>

#include "die.h"
#include "tcp_bytes.h"

static const unsigned char control_bytes[] = { [CONTROL_GO] = 'c', [CONTROL_STOP] = 's' };

void tcp_signal(struct link *l, enum control control)
{
	tcp_send_all(l, &control_bytes[control], 1);
}

enum control tcp_await(struct link *l)
{
	unsigned char byte;

	tcp_receive_all(l, &byte, 1);
	if (byte == control_bytes[CONTROL_STOP])
		return CONTROL_STOP;
	if (byte != control_bytes[CONTROL_GO])
		die("the other end sent something that is no control message");
	return CONTROL_GO;
}

void tcp_order(struct link *l, uint32_t number)
{
	const uint32_t wire = htonl(number);

	tcp_send_all(l, (const unsigned char *)&wire, sizeof(wire));
}

uint32_t tcp_ordered(struct link *l)
{
	uint32_t wire;

	tcp_receive_all(l, (unsigned char *)&wire, sizeof(wire));
	return ntohl(wire);
}
