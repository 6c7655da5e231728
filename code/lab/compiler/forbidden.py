"""The system calls that a sandbox has no use for, as a filter of seccomp(2).

Each would make memory or mounts that no bound counts. The toolchain, and so the filter, is of x86-64.
"""

from __future__ import annotations

import errno
import struct

X86_64 = 0xC000003E  # AUDIT_ARCH_X86_64: other calling conventions have other numbers
OTHER_CONVENTION = 0x40000000  # x32 marks its numbers so
# From arch/x86/entry/syscalls/syscall_64.tbl of Linux.
FORBIDDEN = {
    "shmget": 29, "msgget": 68, "mount": 165, "add_key": 248, "keyctl": 250, "unshare": 272, "setns": 308,
    "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "mount_setattr": 442, "memfd_secret": 447,
}  # fmt: skip
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K
NUMBER, ARCHITECTURE = 0, 4  # where struct seccomp_data has them
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def bpf_filter() -> bytes:
    """The program for bwrap's --seccomp: struct sock_filter after struct sock_filter."""
    tests = [(EQUAL, number) for number in FORBIDDEN.values()]
    tests.append((AT_LEAST, OTHER_CONVENTION))
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, X86_64), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    lines += [(code, len(tests) - place, 0, number) for place, (code, number) in enumerate(tests)]
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)
