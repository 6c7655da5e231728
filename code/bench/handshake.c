#include "handshake.h"

#include "clock.h"
#include "die.h"
#include "door.h"
#include "hello.h"

struct session handshake_serve(const struct options *o, side_tune tune)
{
	struct session session = { -1, side_listen(o->listen, (uint16_t)o->port, tune) };
	uint64_t deadline = ns_from_now(o->deadline_s);
	struct hello here;

	hello_fill(&here, o);
	session.peer = door_wait(session.listener, &here, deadline);
	if (session.peer < 0)
		die("no client came within the deadline");
	return session;
}

struct session handshake_join(const struct options *o, side_tune tune)
{
	uint64_t deadline = ns_from_now(o->deadline_s);
	struct session session = { side_connect(o->host, o->source, (uint16_t)o->port, deadline, tune), -1 };
	struct hello hello;
	struct verdict v;

	hello_fill(&hello, o);
	side_write(session.peer, &hello, sizeof(hello));
	if (!side_read(session.peer, &v, sizeof(v), deadline))
		die("the server at %s gave no answer; is it a lab-bench server?", o->host);
	verdict_obey(&v, o->host);
	return session;
}
