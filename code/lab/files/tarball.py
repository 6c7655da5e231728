"""Archives in memory: written for strangers, and read from them."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from itertools import islice
from typing import IO

MOST_MEMBERS = 4096


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of files, given by name."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def unpack(stream: IO[bytes], largest: int) -> dict[str, bytes]:
    """The plain files of an archive by name: no link, and no sparse file: small there, large in memory."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for member in islice(archive, MOST_MEMBERS):
                content = archive.extractfile(member) if member.isreg() and member.sparse is None else None
                if content is not None and member.size <= largest:
                    found[member.name.removeprefix("./")] = content.read()
    except (EOFError, ValueError, RecursionError) as error:  # hostile headers cause these
        raise tarfile.ReadError(str(error)) from error
    return found
