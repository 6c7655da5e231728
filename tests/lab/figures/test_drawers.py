"""What draws is loaded when it draws: lab.figures.drawers."""

from __future__ import annotations

from importlib import import_module

import pytest

from lab.figures import drawers
from lab.figures.drawers import Drawer

ALL = {name: each for name, each in vars(drawers).items() if isinstance(each, Drawer)}


@pytest.mark.parametrize("name", ALL)
def test_each_drawer_names_a_function_of_its_own_name(name: str) -> None:
    assert ALL[name].function == name
    assert callable(getattr(import_module(f"lab.figures.{ALL[name].module}"), name))
