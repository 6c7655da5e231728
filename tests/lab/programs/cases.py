"""Requests and outputs for the tests of programs."""

from lab.model.parameters import Counts, Parameters, Scalar
from lab.model.trial import End, Ends, Step, StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request, Sample

ENDS = Ends(End("10.0.0.1", "rxe0", "v0", "1"), End("10.0.0.2", "rxe1", "v1", "3"), "127.0.0.1")


def request(program: str, *counts: Counts, measure: str = "", operation: str = "", **values: Scalar) -> Request:
    """A request of the program's first ability, unless another is named."""
    ability = sorted(PROGRAMS[program].abilities)[0]
    parameters = Parameters().with_values(values)
    return Request(program, operation or ability[0], measure or ability[1], counts, parameters)


def printed(text: str) -> StepOutcome:
    return StepOutcome(text, "", "", "", 0, 0, 0, 1)


def parse(asked: Request, *texts: str) -> tuple[Sample, ...]:
    return PROGRAMS[asked.program].parse(asked, tuple(map(printed, texts))).samples


def step(asked: Request, ends: Ends = ENDS) -> Step:
    """The only step of a request."""
    (only,) = PROGRAMS[asked.program].steps(asked, ends)
    return only
