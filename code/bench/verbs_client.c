#include "program.h"
#include "verbs.h"

int main(int argc, char **argv)
{
	return program_run(argc, argv, CLIENT, &verbs_transport);
}
