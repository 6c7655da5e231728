"""A value that a grading makes once, or its error, for every check that asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, overload

from lab.errors import LabError

Made = TypeVar("Made")


class kept(Generic[Made]):  # noqa: N801 - used as functools.cached_property is, which keeps no error
    """A property that is made at its first use. A report that does not build, or a program that hangs until its
    deadline, fails once, although several checks use it."""

    def __init__(self, make: Callable[..., Made]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, case: None, owner: type) -> kept[Made]: ...
    @overload
    def __get__(self, case: object, owner: type) -> Made: ...
    def __get__(self, case: object | None, owner: type) -> kept[Made] | Made:
        if case is None:
            return self
        errors = vars(case).setdefault("errors_kept", {})
        if self._name in errors:
            raise errors[self._name]
        try:
            made = self._make(case)
        except LabError as error:
            errors[self._name] = error
            raise
        vars(case)[self._name] = made
        return made
