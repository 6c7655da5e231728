"""The text of an experiment's series, a line each."""


def series_of(*runs: str) -> str:
    """A table for each `name program operation measure`, and further lines of TOML."""
    tables = []
    for run in runs:
        head, _, lines = run.partition("\n")
        keys = zip(("name", "program", "operation", "measure"), head.split(), strict=True)
        tables += ["[[series]]", *(f'{key} = "{value}"' for key, value in keys), *lines.splitlines()]
    return "\n".join([*tables, ""])
