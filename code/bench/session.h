/* A session of two ends: they agree on version, token and options before the first byte, and part when all is
 * measured. */
#ifndef SESSION_H
#define SESSION_H

#include "options.h"
#include "result.h"
#include "side.h"

struct session {
	int peer;     /* the side channel to the other end */
	int listener; /* server: where a second client would connect; else -1 */
};

/* Server: waits for the right client and refuses all others, or exits at the deadline. */
struct session session_serve(const struct options *options, side_tune tune);

/* Client: joins the server, or prints the server's reason and exits. */
struct session session_join(const struct options *options, side_tune tune);

/* One more connection of the same two ends: the server's, and the client's. */
int session_serve_again(const struct session *session, const struct options *options);
int session_join_again(const struct options *options, side_tune tune);

/* Waits until the other end has finished, and closes the socket to it. The client receives the server's part of the
 * costs of each size; costs has one entry for each size. */
void session_end(const struct options *options, int peer, struct cost *costs);

#endif
