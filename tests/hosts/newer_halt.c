/*
 * code/machine/before_halt.c for a newer QEMU, which takes later versions of the plugin interface: the bytes of an
 * instruction are copied, and from version 7 on the callback for a block has its arguments in another order.
 */
#define qemu_plugin_version version_1
#define qemu_plugin_insn_data data_1
#if API >= 7
#define qemu_plugin_register_vcpu_tb_trans_cb register_1
#endif
#include "before_halt.c"
#undef qemu_plugin_version
#undef qemu_plugin_insn_data

EXPORT int qemu_plugin_version = API;

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);

const void *data_1(const struct qemu_plugin_insn *insn)
{
	static uint8_t first;

	qemu_plugin_insn_data(insn, &first, sizeof(first));
	return &first;
}

#if API >= 7
#undef qemu_plugin_register_vcpu_tb_trans_cb

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(struct qemu_plugin_tb *tb, void *data),
					   void *data);

static void watch_halt_7(struct qemu_plugin_tb *tb, void *data)
{
	(void)data;
	watch_halt(0, tb);
}

void register_1(uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *tb))
{
	(void)call;
	qemu_plugin_register_vcpu_tb_trans_cb(id, watch_halt_7, NULL);
}
#endif
