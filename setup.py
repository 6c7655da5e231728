"""Builds the wheel outside of the checkout, and adds all of the checkout to it for `verbyte new`."""

import atexit
import os
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePath

from setuptools import setup
from setuptools.command.build_py import build_py

FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "setup.py")
FOLDERS = (".devcontainer", "code", "docs", "experiments", "results/reference", "templates", "tests")
SETTINGS = (".clang-format", ".dockerignore", ".editorconfig", ".gitignore")


def without_owner_and_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return None if PurePath(member.name).name in ("__pycache__", "lab.egg-info") else member


class WithCheckout(build_py):
    def run(self) -> None:
        super().run()
        with tarfile.open(Path(self.build_lib) / "lab" / "checkout.tar.gz", "w:gz") as archive:
            for name in filter(os.path.exists, (*FILES, *FOLDERS, *SETTINGS)):  # a kit has fewer
                archive.add(name, filter=without_owner_and_caches)


# A file below code/ would change the version of the code.
folder = tempfile.mkdtemp(prefix="lab-wheel-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
options = {"egg_info": {"egg_base": folder}, "build": {"build_base": folder}}
setup(options=options, cmdclass={"build_py": WithCheckout})
