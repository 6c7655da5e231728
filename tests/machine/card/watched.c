/* One thread watches the file of asynchronous events, like a program that waits for them, while another creates queues.
 * It must be the same file all the time: a reader of another one would wait for ever. */
#include <pthread.h>
#include <stdatomic.h>

#include "ends.h"

enum { QUEUES = 4000 };

static atomic_bool over;
static unsigned long other_files;

static void *watch(void *nothing)
{
	volatile int *const file = &context->async_fd;
	const int first = *file;

	while (!over)
		other_files += *file != first;
	return nothing;
}

int main(void)
{
	struct ibv_cq *cq;
	pthread_t watcher;

	open_device();
	must(!pthread_create(&watcher, NULL, watch, NULL), "pthread_create");
	for (int i = 0; i < QUEUES; i++) {
		cq = ibv_create_cq(context, 1, NULL, NULL, 0);
		must(cq && !ibv_destroy_cq(cq), "ibv_create_cq");
	}
	over = true;
	pthread_join(watcher, NULL);
	printf("%lu\n", other_files);
	return other_files != 0;
}
