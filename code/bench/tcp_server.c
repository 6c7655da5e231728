#include "program.h"
#include "transport.h"

int main(int argc, char **argv)
{
	return program_run(argc, argv, SERVER, &tcp_transport);
}
