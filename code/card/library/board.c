/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t boards_lock = PTHREAD_MUTEX_INITIALIZER;
static struct board *boards;

int board_take_over(int file)
{
	int own = open(BOARD_FILE, O_RDWR | O_CLOEXEC), error;

	if (own < 0)
		return -1;
	error = dup3(own, file, O_CLOEXEC);
	close(own);
	return error;
}

static void *map_doorbells(const struct ibv_context *context)
{
	return mmap(NULL, CARD_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, context->async_fd, 0);
}

/* libibverbs reads asynchronous events from the context's file, whoever makes them. */
struct board *board_open(struct ibv_context *context)
{
	void *page = board_take_over(context->async_fd) < 0 ? MAP_FAILED : map_doorbells(context);
	struct board *board = page == MAP_FAILED ? NULL : calloc(1, sizeof(*board));

	if (!board)
		return NULL;
	board->context = context;
	board->doorbells = page;
	pthread_mutex_lock(&boards_lock);
	board->next = boards;
	boards = board;
	pthread_mutex_unlock(&boards_lock);
	return board;
}

void board_close(struct board *board)
{
	struct board **at;

	pthread_mutex_lock(&boards_lock);
	for (at = &boards; *at != board; at = &(*at)->next)
		;
	*at = board->next;
	pthread_mutex_unlock(&boards_lock);
	munmap((void *)board->doorbells, CARD_PAGE_BYTES);
	free(board);
}

struct board *board_of(const struct ibv_context *context)
{
	struct board *found;

	pthread_mutex_lock(&boards_lock);
	for (found = boards; found && found->context != context; found = found->next)
		;
	pthread_mutex_unlock(&boards_lock);
	return found;
}

int board_request(const struct ibv_context *context, struct card_request *request)
{
	return ioctl(context->async_fd, CARD_REQUEST, request) ? errno : 0;
}

void board_destroy(const struct ibv_context *context, uint32_t handle)
{
	struct card_request request = { .op = CARD_DESTROY, .handle = handle };

	board_request(context, &request);
}
