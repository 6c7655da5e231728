"""The asks of an assignment: how many true statements or claims, about which series, at which sizes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lab.errors import SizeError
from lab.files.fault import Fault
from lab.files.toml_file import TomlFile
from lab.model.sizes import LARGEST, parse_size
from lab.spec.experiment import Experiment
from lab.typed_json import JsonTable, parse_as

NAMED = {"small": (0, 4096), "large": (65_536, LARGEST), "all": (0, LARGEST)}


@dataclass(frozen=True)
class Ask:
    """A number of true statements or claims, each about all of these series, at any of these sizes."""

    about: tuple[str, ...]
    statements: int = 1
    sizes: str = "all"
    text: str = ""  # for the hand-out and the feedback

    @property
    def words(self) -> str:
        """`2 statements about card and tcp.card at small sizes`."""
        count = f"{self.statements} statement{'s' if self.statements > 1 else ''}"
        place = "" if self.sizes == "all" else f" at {self.sizes}{' sizes' if self.sizes in NAMED else ''}"
        return f"{count} about {' and '.join(self.about)}{place}"

    def includes(self, series: Collection[str], sizes: Collection[int]) -> bool:
        """Whether evidence about these series and sizes counts."""
        ranges = sizes_asked(self.sizes)
        return set(self.about) <= set(series) and any(low <= size <= high for size in sizes for low, high in ranges)


def sizes_asked(text: str) -> tuple[tuple[int, int], ...]:
    """The first and last size of each range: of `small`, `1..4K` or `64, 64K`."""
    if text in NAMED:
        return (NAMED[text],)
    ends = (part.strip().partition("..") for part in text.split(","))
    return tuple((parse_size(low), parse_size(high if dots else low)) for low, dots, high in ends)


def read_asks(file: TomlFile, experiment: Experiment | None, site: str) -> tuple[Ask, ...]:
    """The checked tables; the experiment must have the series, and the series a size that is asked for."""
    tables: list[JsonTable] = file.document.get("asks", [])
    asks = tuple(parse_as(Ask, table) for table in tables)
    for number, ask in enumerate(asks):
        try:
            sizes_asked(ask.sizes)
        except SizeError as error:
            expected = f"{', '.join(NAMED)}, a range such as 1..4K, or sizes such as 64, 64K"
            file.refuse(Fault(error.what, ("asks", number, "sizes"), expected))
        if experiment:
            _require_measured(file, number, ask, experiment, site)
    return asks


def _require_measured(file: TomlFile, number: int, ask: Ask, experiment: Experiment, site: str) -> None:
    series = {series.name: series for series in experiment.series}
    for name in ask.about:
        if name not in series:
            what = f"an ask is about the series {name}, which {experiment.name} lacks"
            file.refuse(Fault(what, ("asks", number, "about"), f"one of {', '.join(sorted(series))}"))
        if not ask.includes(ask.about, series[name].sizes(site)):
            what = f"{name} was not measured at {ask.sizes}{' sizes' if ask.sizes in NAMED else ''}"
            file.refuse(Fault(what, ("asks", number, "sizes")))
