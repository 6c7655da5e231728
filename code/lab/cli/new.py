"""`verbyte new FOLDER`: a checkout from the installed package, which contains all of its files."""

import sys
import tarfile
from argparse import ArgumentParser
from pathlib import Path

from lab.cli.commands import path
from lab.errors import LabError, all_lines
from lab.files.storage import storage

CHECKOUT = Path(__file__).parents[1] / "checkout.tar.gz"  # written by code/setup/checkout_wheel.py


def main() -> int:
    about = "Verbyte: `lab` is the command that measures and writes reports."
    parser = ArgumentParser(prog="verbyte", description=about)
    new = parser.add_subparsers(required=True, metavar="COMMAND").add_parser("new", help="write a checkout")
    new.add_argument("folder", type=path, help="a new folder")
    try:
        write_checkout(parser.parse_args().folder)
    except LabError as error:
        print(f"verbyte new: {all_lines(str(error))}", file=sys.stderr)
        return 2
    return 0


def write_checkout(folder: Path) -> None:
    if not CHECKOUT.exists():
        raise LabError("this package has no checkout in it", str(CHECKOUT), "pip install ., or git clone")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise LabError("exists, and is not an empty folder", str(folder), "verbyte new ANOTHER_FOLDER")
    with storage(folder), tarfile.open(CHECKOUT) as archive:
        archive.extraction_filter = getattr(tarfile, "fully_trusted_filter", lambda member, _: member)
        archive.extractall(folder)
    print(f"{folder}: a checkout; continue with: cd {folder} && make try")


if __name__ == "__main__":
    sys.exit(main())
