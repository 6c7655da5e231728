#include "session.h"

#include <endian.h>
#include <unistd.h>

#include "clock.h"
#include "die.h"
#include "door.h"
#include "hello.h"
#include "side.h"
#include "watch.h"

int session_serve_again(const struct session *session, const struct options *o)
{
	struct hello here;
	int peer;

	hello_fill(&here, o);
	peer = door_wait(session->listener, &here, ns_from_now(o->deadline_s));
	if (peer < 0)
		die("no client came within the deadline");
	return peer;
}

struct session session_serve(const struct options *o, side_tune tune)
{
	struct session session = { -1, side_listen(o->listen, (uint16_t)o->port, tune) };

	session.peer = session_serve_again(&session, o);
	return session;
}

int session_join_again(const struct options *o, side_tune tune)
{
	uint64_t deadline = ns_from_now(o->deadline_s);
	int peer = side_connect(o->host, o->source, (uint16_t)o->port, deadline, tune);
	struct hello hello;
	struct verdict v;

	hello_fill(&hello, o);
	side_write(peer, &hello, sizeof(hello));
	if (!side_read(peer, &v, sizeof(v), deadline))
		die("the server at %s gave no answer; is it a lab-bench server?", o->host);
	verdict_obey(&v, o->host);
	return peer;
}

struct session session_join(const struct options *o, side_tune tune)
{
	return (struct session){ session_join_again(o, tune), -1 };
}

/* On the wire: big-endian. */
struct wire_cost {
	uint64_t whole_ns, kernel_ns, back_messages, back_ns;
};

static bool session_send_cost(int peer, const struct cost *c)
{
	const struct wire_cost wire = { htobe64(c->own.whole_ns), htobe64(c->own.kernel_ns), htobe64(c->back.messages),
					htobe64(c->back.time_ns) };

	return side_write(peer, &wire, sizeof(wire));
}

static bool session_receive_cost(int peer, struct cost *c, uint64_t deadline_ns)
{
	struct wire_cost wire;

	if (!side_read(peer, &wire, sizeof(wire), deadline_ns))
		return false;
	c->peer = (struct processor_time){ be64toh(wire.whole_ns), be64toh(wire.kernel_ns) };
	if (wire.back_messages) /* else this end has timed them */
		c->back = (struct sample){ be64toh(wire.back_messages), be64toh(wire.back_ns) };
	return true;
}

static bool session_send_bye(const struct options *o, int peer, const struct cost *costs)
{
	const char bye = 'b';
	bool whole = side_write(peer, &bye, 1);

	for (size_t i = 0; i < o->sizes.count && o->role == SERVER; i++)
		whole = whole && session_send_cost(peer, &costs[i]);
	return whole;
}

static bool session_await_bye(const struct options *o, int peer, struct cost *costs)
{
	const uint64_t deadline_ns = ns_from_now(o->deadline_s);
	char bye;
	bool whole;

	do
		whole = side_read(peer, &bye, 1, deadline_ns);
	while (whole && bye == WATCH_BEAT);
	for (size_t i = 0; i < o->sizes.count && o->role == CLIENT; i++)
		whole = whole && session_receive_cost(peer, &costs[i], deadline_ns);
	return whole;
}

/* Up to here, a closed connection means that the other end has failed. */
void session_end(const struct options *o, int peer, struct cost *costs)
{
	watch_stage("parting");
	watch_peer_may_leave(peer);
	if (!session_send_bye(o, peer, costs) || !session_await_bye(o, peer, costs))
		die("the other end left before the end");
	close(peer);
}
