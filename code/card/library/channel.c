/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion channels: their file becomes one of the card, so programs read and poll it as usual. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "board.h"
#include "real.h"

static int take_over(int file)
{
	int own = open(BOARD_FILE, O_RDWR | O_CLOEXEC), error;

	if (own < 0)
		return -1;
	error = dup3(own, file, O_CLOEXEC);
	close(own);
	return error;
}

EXPORTED struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = real(ibv_create_comp_channel)(context);
	int error;

	if (!channel || !board_of(context) || take_over(channel->fd) >= 0)
		return channel;
	error = errno;
	real(ibv_destroy_comp_channel)(channel);
	errno = error;
	return NULL;
}
