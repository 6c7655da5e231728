/* A client that spoils one byte of each message on its way out: --verify must catch it. */
#include "program.h"
#include "tcp.h"

static struct transport broken;

static uint64_t broken_post(struct link *l, uint64_t messages)
{
	broken.outgoing(l, 0)[0] ^= 1;
	return tcp_transport.post(l, messages);
}

int main(int argc, char **argv)
{
	broken = tcp_transport;
	broken.post = broken_post;
	return program_run(argc, argv, CLIENT, &broken);
}
