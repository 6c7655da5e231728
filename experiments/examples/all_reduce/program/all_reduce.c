/* MPI_Allreduce over all ranks, vector by vector; rank 0 prints the time of a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16, ROUNDS = 8 };

static void measure(int rank, int ranks, int numbers)
{
	static int vector[MOST], sum[MOST];
	double begin = 0;

	for (int round = -1; round < ROUNDS; round++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (round == 0)
			begin = MPI_Wtime(); /* after one round that is not timed */
		for (int i = 0; i < numbers; i++)
			vector[i] = i + rank;
		MPI_Allreduce(vector, sum, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < numbers; i++)
			if (sum[i] != ranks * i + ranks * (ranks - 1) / 2)
				MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (rank == 0)
		printf("%zu %.3f us\n", numbers * sizeof(int), (MPI_Wtime() - begin) / ROUNDS * 1e6);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int numbers = 256; numbers <= MOST; numbers *= 16)
		measure(rank, ranks, numbers);
	return MPI_Finalize();
}
