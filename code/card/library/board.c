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

static void add(struct board *board)
{
	pthread_mutex_lock(&boards_lock);
	board->next = boards;
	boards = board;
	pthread_mutex_unlock(&boards_lock);
}

struct board *board_open(struct ibv_context *context)
{
	struct board *board = calloc(1, sizeof(*board));
	void *page;

	if (!board)
		return NULL;
	board->file = open(BOARD_FILE, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, CARD_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, board->file, 0);
	if (page == MAP_FAILED) {
		if (board->file >= 0)
			close(board->file);
		free(board);
		return NULL;
	}
	board->context = context;
	board->doorbells = page;
	board->kernels = *verbs_get_ctx(context);
	context->async_fd = board->file;
	add(board);
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
	board->context->async_fd = board->kernels.context.async_fd;
	close(board->file);
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

struct ibv_pd board_pd(struct board *board, const struct ibv_pd *pd)
{
	return (struct ibv_pd){ .context = &board->kernels.context, .handle = pd->handle };
}

int board_request(const struct ibv_context *context, struct card_request *request)
{
	return ioctl(board_of(context)->file, CARD_REQUEST, request) ? errno : 0;
}

void board_destroy(const struct ibv_context *context, uint32_t handle)
{
	struct card_request request = { .op = CARD_DESTROY, .handle = handle };

	board_request(context, &request);
}
