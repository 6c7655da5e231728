// Two ranks send a message back and forth; rank 0 prints the median round trip of each size: pingpong COUNT
// SIZE,SIZE...
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

static void exchange(std::vector<char> &message, int rank)
{
	const int size = static_cast<int>(message.size());

	for (int sender : { 0, 1 })
		if (sender == rank)
			MPI_Send(message.data(), size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(message.data(), size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double median_trip_us(std::size_t size, int count, int rank)
{
	std::vector<char> message(size);
	std::vector<double> trips;

	for (int i = 0; i < count; i++) {
		const double start = MPI_Wtime();

		exchange(message, rank);
		trips.push_back(1e6 * (MPI_Wtime() - start));
	}
	std::ranges::nth_element(trips, trips.begin() + count / 2);
	return trips[static_cast<std::size_t>(count / 2)];
}

int main(int argc, char *argv[])
{
	int rank;

	int threads;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	std::istringstream sizes(argc == 3 ? argv[2] : "");

	for (std::string size; std::getline(sizes, size, ',');) {
		const double trip_us = median_trip_us(std::stoul(size), std::stoi(argv[1]), rank);

		if (rank == 0)
			std::printf("%s %.3f us\n", size.c_str(), trip_us);
	}
	MPI_Finalize();
}
