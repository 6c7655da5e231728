"""Archives with headers that no honest program writes."""

import io
import tarfile


def archive(headers: dict[str, str], name: str = "name", kind: bytes = tarfile.REGTYPE) -> io.BytesIO:
    """One file of three bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as made:
        entry = tarfile.TarInfo(name)
        entry.size, entry.type, entry.linkname, entry.pax_headers = 3, kind, "/etc/passwd", headers
        made.addfile(entry, io.BytesIO(b"abc"))
    stream.seek(0)
    return stream
