"""The build backend: setuptools, outside of the checkout, with all of the checkout in the wheel for `verbyte new`."""

import atexit
import os
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePath

from setuptools.build_meta import *  # noqa: F403 - the hooks of PEP 517
from setuptools.command.build import build
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml")
FOLDERS = (".devcontainer", "code", "docs", "experiments", "results/reference", "templates", "tests")
SETTINGS = (".clang-format", ".dockerignore", ".editorconfig", ".gitignore")
# A file below code/ would change the version of the code.
ELSEWHERE = tempfile.mkdtemp(prefix="lab-wheel-")
atexit.register(shutil.rmtree, ELSEWHERE, ignore_errors=True)


def without_owner_and_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return None if PurePath(member.name).name in ("__pycache__", "lab.egg-info") else member


class Build(build):
    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = ELSEWHERE


class EggInfo(egg_info):
    def initialize_options(self) -> None:
        super().initialize_options()
        self.egg_base = ELSEWHERE


class WithCheckout(build_py):
    def run(self) -> None:
        super().run()
        with tarfile.open(Path(self.build_lib) / "lab" / "checkout.tar.gz", "w:gz") as archive:
            for name in filter(os.path.exists, (*FILES, *FOLDERS, *SETTINGS)):  # a kit has fewer
                archive.add(name, filter=without_owner_and_caches)
