/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The version of the plugin interface that a newer QEMU takes, in place of plugin.c's. */
__attribute__((visibility("default"))) int qemu_plugin_version = API;
