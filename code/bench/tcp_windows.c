#include "tcp_windows.h"

#include <endian.h>
#include <inttypes.h>

#include "die.h"
#include "tcp_bytes.h"

/* Numbers travel as the network orders them, since the ends may be of two kinds. */
void tcp_tell(struct link *l, const struct sample *windows, size_t count)
{
	uint64_t numbers[2] = { htobe64(count) };

	tcp_send_all(l, (unsigned char *)numbers, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		numbers[0] = htobe64(windows[i].messages);
		numbers[1] = htobe64(windows[i].time_ns);
		tcp_send_all(l, (unsigned char *)numbers, sizeof(numbers));
	}
	tcp_push(l);
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
