"""The locked toolchain of this checkout, laid out once."""

from __future__ import annotations

import pytest

from lab.compiler import toolchain
from lab.compiler.guest import INIT, Guest
from lab.compiler.toolchain import Toolchain
from lab.machine.image import build_image
from lab.machine.runner import carried
from lab.places import CACHE, MACHINE


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return toolchain.laid(MACHINE, CACHE, print)


@pytest.fixture(scope="session")
def guest() -> Guest:
    init = (MACHINE / INIT).read_bytes()
    return Guest(build_image(MACHINE, CACHE, print), carried(MACHINE, CACHE, print), init)
