/* A client that corrupts one byte of each message that it sends: --verify must report it. */
#include "program.h"
#include "transport.h"

/* It is linked to one of these. */
extern const struct transport tcp_transport __attribute__((weak)), verbs_transport __attribute__((weak));

static const struct transport *correct;
static struct transport broken;

static uint64_t post_broken(struct link *l, uint64_t messages)
{
	broken.outgoing(l, 0)[0] ^= 1;
	return correct->post(l, messages);
}

int main(int argc, char **argv)
{
	correct = &tcp_transport ? &tcp_transport : &verbs_transport;
	broken = *correct;
	broken.post = post_broken;
	return program_run(argc, argv, CLIENT, &broken);
}
