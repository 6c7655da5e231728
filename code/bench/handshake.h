/* Both ends agree before the first byte: the same version, the same token, the same options. */
#ifndef HANDSHAKE_H
#define HANDSHAKE_H

#include "options.h"
#include "side.h"

struct session {
	int peer;     /* the side channel to the other end */
	int listener; /* server: where a second client would knock; else -1 */
};

/* Server: refuses strangers with a sentence on both ends until the right client comes, or exits at the deadline. */
struct session handshake_serve(const struct options *options, side_tune tune);

/* Client: joins the server, or prints the server's reason and exits. */
struct session handshake_join(const struct options *options, side_tune tune);

#endif
