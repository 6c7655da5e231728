/* A one-sided message, then a ping-pong of two ranks that both print, through sizes without an end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char *buf = calloc(1, 256 << 20);
	const int one = 1;
	MPI_Win window;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("Hello from rank %d\n", rank);
	MPI_Win_create(buf, sizeof(one), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_fence(0, window);
	if (rank == 0) {
		MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
		MPI_Win_fence(0, window);
		MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
	} else {
		MPI_Win_fence(0, window);
	}
	MPI_Win_fence(0, window);
	if (rank == 1 && *(int *)buf != 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Win_free(&window);
	for (int size = 1; size <= 256 << 20; size *= 4) {
		double start = MPI_Wtime();

		for (int i = 0; i < 20; i++) {
			if (rank == 0)
				MPI_Send(buf, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(buf, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (rank == 1)
				MPI_Send(buf, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		}
		printf("%d bytes: round trip %.2f us\n", size, (MPI_Wtime() - start) / 20 * 1e6);
	}
	MPI_Finalize();
	return 0;
}
