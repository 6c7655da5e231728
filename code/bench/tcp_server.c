#include "program.h"
#include "tcp.h"

int main(int argc, char **argv)
{
	return program_run(argc, argv, SERVER, &tcp_transport);
}
