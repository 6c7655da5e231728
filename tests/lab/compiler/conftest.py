"""The locked toolchain of this checkout, unpacked once."""

import pytest

from lab.compiler import toolchain
from lab.compiler.guest import INIT, Guest
from lab.compiler.toolchain import Toolchain
from lab.machine.image import build_image
from lab.machine.runner import bundled
from lab.places import CACHE, MACHINE


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return toolchain.unpacked(MACHINE, CACHE, print)


@pytest.fixture(scope="session")
def guest() -> Guest:
    init = (MACHINE / INIT).read_bytes()
    return Guest(build_image(MACHINE, CACHE, print), bundled(MACHINE, CACHE, print), init)
