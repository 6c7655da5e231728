"""Kinds of tampering with the data: records, and the tables made of them."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from tests.lab.grade.forger import Files, Forger
from tests.lab.grade.tampering import any_key, faster, found_by

from lab.grade.finding import Flaw
from lab.records.record import SAMPLES
from lab.submission.archive import RECORDS


def bump(text: str) -> str:
    """The same number, one higher in its last digit but one."""
    return str(int(text) + 10)


def zeroed(facts: dict[str, Any]) -> dict[str, int]:
    return dict.fromkeys(facts["counters_after"], 1)


@found_by("records", Flaw.TABLE)
def cell_of_the_table(forger: Forger, variant: int) -> bytes:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = 1 + variant % (len(lines) - 1)
        lines[place] = re.sub(r",(\d{5,}),", lambda found: f",{bump(found[1])},", lines[place], count=1)
        return "".join(lines)

    return forger.pdf(forger.changed("small.csv", change))


@found_by("records", Flaw.TABLE)
def row_of_the_table(forger: Forger, variant: int) -> bytes:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        del lines[1 + variant % (len(lines) - 1)]
        return "".join(lines)

    return forger.pdf(forger.changed("small.csv", change))


@found_by("records", Flaw.MANIFEST)
def digest_in_the_manifest(forger: Forger, variant: int) -> bytes:
    digest = re.findall(r'"sha256": "([0-9a-f]{64})"', forger.files["manifest.json"].decode())[variant % 12]
    return forger.pdf(forger.changed("manifest.json", lambda text: text.replace(digest, "0" * 64)))


@found_by("records", Flaw.STRANGE_RECORD)
def another_machines_name(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.changed("identity.json", lambda text: text.replace("fake", "real")))


@found_by("records", Flaw.SITE)
def another_site(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.changed("identity.json", lambda text: text.replace('"exact"', '"host"')))


@found_by("records", Flaw.MISSING_RECORD)
def best_run_kept(forger: Forger, variant: int) -> bytes:
    best = any_key(forger, variant)

    def keep(records: Files) -> None:
        for path in [each for each in records if not each.startswith(best)]:
            del records[path]

    return forger.pdf(forger.records(keep))


@found_by("records", Flaw.COUNTER)
def counter_below_the_bytes(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["counters_after"].update(zeroed(facts)))
    )


@found_by("rerun", Flaw.COUNTER)
def counter_polished(forger: Forger, variant: int) -> bytes:
    def raise_all(facts: dict[str, Any]) -> None:
        facts["counters_after"] = {name: value + 1000 for name, value in facts["counters_after"].items()}

    return forger.pdf(forger.facts(any_key(forger, variant), raise_all))


@found_by("records", Flaw.CLOCK)
def clock_stopped(forger: Forger, variant: int) -> bytes:
    def stop(facts: dict[str, Any]) -> None:
        facts["steps"][0]["clock_end_ns"] = facts["steps"][0]["clock_start_ns"] + 1

    return forger.pdf(forger.facts(any_key(forger, variant), stop))


@found_by("records", Flaw.STATUS)
def failed_program_kept(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["steps"][0].update(client_status=1 + variant))
    )


@found_by("records", Flaw.OTHER_LINK)
def tcp_from_another_link(forger: Forger, variant: int) -> bytes:
    tcp = [each.trial.key for each in forger.work.plan.planned if each.series.name == "tcp"]
    return forger.pdf(forger.facts(tcp[variant % len(tcp)], lambda facts: facts["link"].update(rate_bit_s=10**9)))


@found_by("records", Flaw.RECORD)
def other_options(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["options"].update(windows=7 + variant))
    )


@found_by("records", Flaw.RECORD)
def no_number(forger: Forger, variant: int) -> bytes:
    values: list[Any] = [None, "1", 1.5, [], True]
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts.update(clock_end_ns=values[variant % len(values)]))
    )


@found_by("records", Flaw.ROWS)
def rows_of_samples_dropped(forger: Forger, variant: int) -> bytes:
    def drop(text: str) -> str:
        rows = text.splitlines()
        del rows[2 + variant % 20]
        return "\n".join([*rows[:-1], f"# end rows={len(rows) - 3}", ""])

    return forger.pdf(forger.samples([any_key(forger, variant)], drop))


@found_by("rerun", Flaw.SAMPLE)
def sample_with_all_else_redone(forger: Forger, variant: int) -> bytes:
    return forger.remade(forger.samples([any_key(forger, variant)], lambda text: faster(text, 0.9)))


@found_by("rerun", Flaw.SAMPLE)
def invented_times(forger: Forger, variant: int) -> bytes:
    mine = [each.trial.key for each in forger.work.plan.planned if each.series.name == "verbs"]
    return forger.pdf(forger.samples(mine, lambda text: faster(text, 0.5 + variant % 4 / 10)))


@found_by("rerun", Flaw.SAMPLE)
def best_run_six_times(forger: Forger, variant: int) -> bytes:
    mine = [each.trial.key for each in forger.work.plan.planned if each.series.name == "verbs"]

    def copy(records: Files) -> None:
        for key in mine:
            records[f"{key}/{SAMPLES}"] = records[f"{mine[variant % len(mine)]}/{SAMPLES}"]

    return forger.pdf(forger.records(copy))


@found_by("records", Flaw.TRAILING)
def more_in_the_zip_of_records(forger: Forger, variant: int) -> bytes:
    """Before the first record, behind the last, or where no reader of zips looks."""
    more, content = b"MZ hidden " * 1000, forger.files[RECORDS]
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.comment = more
    made = (more + content, stream.getvalue(), content + more)[variant % 3]
    return forger.pdf(forger.files | {RECORDS: made})
