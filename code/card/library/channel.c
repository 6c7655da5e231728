/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion channels: the file becomes the card's, so that reading and polling it work as ever. */
#include <errno.h>

#include "board.h"
#include "real.h"

EXPORTED struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = real(ibv_create_comp_channel)(context);
	int error;

	if (!channel || !board_of(context) || board_take_over(channel->fd) >= 0)
		return channel;
	error = errno;
	real(ibv_destroy_comp_channel)(channel);
	errno = error;
	return NULL;
}
