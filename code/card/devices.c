/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into programs with `emulate = ["devices"]`, which look for the card of their author, such as "mlx5_0": the
 * computer's device has the name that is among the constants of the program. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <link.h>
#include <string.h>

static const char *const MAKES[] = { "mlx", "rxe", "roce", "ibp", "irdma", "bnxt_re", "siw", "hfi1_", "mthca" };

static int is_name(const char *text, size_t length)
{
	if (length < 4 || length >= IBV_SYSFS_NAME_MAX || !isdigit((unsigned char)text[length - 1]))
		return 0;
	for (size_t at = 0; at < length; at++)
		if (!isalnum((unsigned char)text[at]) && text[at] != '_')
			return 0;
	for (size_t make = 0; make < sizeof(MAKES) / sizeof(*MAKES); make++)
		if (strncmp(text, MAKES[make], strlen(MAKES[make])) == 0)
			return 1;
	return 0;
}

/* Finds the first name of a device in what a file maps read-only; only the first file is the program. */
static int find_name(struct dl_phdr_info *file, size_t size, void *found)
{
	(void)size;
	for (int i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &file->dlpi_phdr[i];
		const char *text = (const char *)(file->dlpi_addr + part->p_vaddr), *end = text + part->p_memsz;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_R) || (part->p_flags & PF_W))
			continue;
		for (size_t length; text < end; text += length + 1) {
			length = strnlen(text, (size_t)(end - text));
			if (is_name(text, length)) {
				*(const char **)found = text;
				return 1;
			}
		}
	}
	return 1;
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	const char *(*next)(struct ibv_device *) = dlsym(RTLD_NEXT, "ibv_get_device_name");
	const char *name = NULL;

	dl_iterate_phdr(find_name, &name);
	return name ? name : next(device);
}
