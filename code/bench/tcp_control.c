#include "tcp_link.h"

#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>

#include "die.h"

static const unsigned char control_bytes[] = { [CONTROL_GO] = 'c', [CONTROL_STOP] = 's' };

void tcp_signal(struct link *l, enum control control)
{
	tcp_send_all(l, &control_bytes[control], 1);
	if (l->hurries)
		tcp_push(l, l->fd);
}

enum control tcp_await(struct link *l)
{
	unsigned char byte = l->early;

	if (!byte)
		tcp_receive_all(l, &byte, 1);
	l->early = 0;
	if (byte == control_bytes[CONTROL_STOP])
		return CONTROL_STOP;
	if (byte != control_bytes[CONTROL_GO])
		die("the other end sent something other than a control message");
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

/* Numbers are big-endian, since the two ends may differ. */
void tcp_tell(struct link *l, const struct sample *windows, size_t count)
{
	uint64_t numbers[2] = { htobe64(count) };

	tcp_send_all(l, (unsigned char *)numbers, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		numbers[0] = htobe64(windows[i].messages);
		numbers[1] = htobe64(windows[i].time_ns);
		tcp_send_all(l, (unsigned char *)numbers, sizeof(numbers));
	}
	tcp_push(l, l->fd);
}

size_t tcp_hear(struct link *l, struct sample *windows, size_t room)
{
	uint64_t numbers[2], count;

	tcp_receive_all(l, (unsigned char *)numbers, sizeof(*numbers));
	count = be64toh(*numbers);
	if (count == 0 || count > room)
		die("the server has %" PRIu64 " windows where at most %zu were asked for", count, room);
	for (size_t i = 0; i < count; i++) {
		tcp_receive_all(l, (unsigned char *)numbers, sizeof(numbers));
		windows[i] = (struct sample){ be64toh(numbers[0]), be64toh(numbers[1]) };
	}
	return count;
}
