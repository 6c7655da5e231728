/* A session of two ends: both agree before the first byte, and part when everything is measured. */
#ifndef SESSION_H
#define SESSION_H

#include "options.h"
#include "result.h"
#include "side.h"

struct session {
	int peer;     /* the side channel to the other end */
	int listener; /* server: where a second client would knock; else -1 */
};

/* Server: refuses strangers with a sentence on both ends until the right client comes, or exits at the deadline. */
struct session session_serve(const struct options *options, side_tune tune);

/* Client: joins the server, or prints the server's reason and exits. */
struct session session_join(const struct options *options, side_tune tune);

/* Waits until the other end is through, and closes the socket to it. The client hears there what each size took of the
 * server's processor; costs has as many as there are sizes. */
void session_end(const struct options *options, int peer, struct cost *costs);

#endif
