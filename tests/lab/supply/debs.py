"""Packages made by hand, member by member: good ones and bad ones."""

import tarfile
from pathlib import Path


def member(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> bytes:
    """One member of a tar file, of an owner that nobody is."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.uid, info.gid = kind, link, mode, 1234, 1234
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def package(file: Path, data: bytes, name: str = "data.tar") -> Path:
    """A .deb of three members, the second of an odd length."""
    parts = [b"!<arch>\n"]
    for each, content in (("debian-binary", b"2.0\n"), ("control.tar", b"odd"), (name, data)):
        parts.append(f"{each:16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content)
        parts.append(b"\n" * (len(content) % 2))
    file.write_bytes(b"".join(parts))
    return file


def tar(*members: bytes) -> bytes:
    return b"".join(members) + bytes(1024)
