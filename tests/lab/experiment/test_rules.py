"""Programs of an experiment: checked when it is read, built when its plan is opened."""

from pathlib import Path

import pytest
from tests.lab.experiment.test_reader import Write, refused

from lab.errors import LabError
from lab.experiment.reader import load
from lab.plan.plan import SiteFacts, binaries, make_plan
from lab.plan.planning import open_campaign
from lab.sites.site import Site

HEAD = 'title = "t"\nquestion = "q"\n[parameters]\nsizes = "1..1K*2"\niterations = 200\nwarmup = 10\n'
PROGRAM = """[programs.mine]
folder = "."
build = "cp source mine"
binaries = ["mine"]
server = "mine -s {port}"
client = "mine {port} {size} {iterations} {arguments} {host}"
output = "columns"
"""


SERIES = '[[series]]\nname = "a"\nprogram = "mine"\noperation = "write"\nmeasure = "throughput"\n'


def test_series_runs_a_program_of_its_file(experiment_file: Write, facts: SiteFacts, tmp_path: Path) -> None:
    assert load(experiment_file(HEAD + PROGRAM.replace("{size}", "{sizes}") + SERIES))
    experiment = load(experiment_file(HEAD + PROGRAM + SERIES + 'arguments = "-x"\n'))
    assert experiment.series[0].program == "mine"
    (first, *_) = make_plan(experiment, facts, {tmp_path / "mine": "d"}).planned
    assert first.trial.job.steps[0].client[-2:] == ("-x", first.trial.job.steps[0].client[-1])
    assert binaries([experiment]) == {tmp_path / "mine"}


OUTPUT = 'output = "columns"'
BOTH = """server = "mine -s {port}"
client = "mine {port} {size} {iterations} {arguments} {host}"
"""
EACH = 'each = "mine {rank} {addresses}"\n'


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "expected"),
    [
        ('folder = "."', 'folder = "none"', 8, "the folder 'none' does not exist", "beside"),
        ('folder = "."', 'folder = "/"', 8, "contains more than the programs", "beside"),
        ('folder = "."', 'folder = ".."', 8, "contains more than the programs", "beside"),
        (OUTPUT, 'output = "table"', 13, "programs.mine.output is", "csv, columns, pattern, none"),
        (OUTPUT, f"{OUTPUT}\noutputs = 1", 14, "unknown key 'outputs'", "output"),
        ('["mine"]', '["a/mine", "b/mine"]', 10, "two binaries are called 'mine'", "a name for each"),
        ('["mine"]', '["../mine"]', 10, "'../mine' is outside of the program's folder", "a path inside it"),
        ('["mine"]', '["/bin/true"]', 10, "'/bin/true' is outside of the program's folder", "a path inside it"),
        ('build = "cp source mine"\n', "", 7, "the key 'build' is missing", "build"),
        ("cp source mine", "cp {port} mine", 9, "unknown placeholder {port}", "without braces"),
        *(
            ("mine -s {port}", f"mine -s {{{name}}}", 11, f"unknown placeholder {{{name}}}", "port")
            for name in ("prot", "port.real", "port:9999999999")
        ),
        ("mine -s {port}", "mine -s {port} {printed:p}", 11, "unknown placeholder {printed:p}", "port"),
        ("mine {port}", "mine {prot}", 12, "unknown placeholder {prot}", "port"),
        ("mine -s {port}", "mine -s {port", 11, "the command cannot be read", "in pairs"),
        ("mine -s {port}", "mine -s 'open", 11, "the command cannot be read", "in pairs"),
        ("mine -s {port}", " ", 11, "the command is empty", "a program"),
        ("mine -s {port}", "A={port}", 11, "the command is empty", "a program"),
        (OUTPUT, f'{OUTPUT}\nfiles."a" = "{{prot}}"', 14, "unknown placeholder {prot}", "port"),
        (OUTPUT, f'{OUTPUT}\nfiles."a" = "{{address}}"', 14, "unknown placeholder {address}", "port"),
        (OUTPUT, f'{OUTPUT}\nfiles."a" = "{{"', 14, "the text cannot be read", "{{ and }}"),
        (OUTPUT, f'{OUTPUT}\nfiles."../a" = "b"', 14, "outside of the program's working folder", "inside it"),
        (OUTPUT, f'{OUTPUT}\nresult_file = "/a"', 14, "outside of the program's working folder", "inside it"),
        (OUTPUT, f'{OUTPUT}\nclient_stays = true\nresult_file = "a"', 15, "client_stays ends the client",
         "one of both"),
        (" {size}", " {size} {sizes}", 12, "name the sizes in two ways", "either {sizes} or {size}"),
        ("mine -s {port}", "mine -s", 11, "it is unclear when the server is ready", "ready.cm"),
        (OUTPUT, f"{OUTPUT}\nready = {{}}", 14, "ready", ""),
        (OUTPUT, f"{OUTPUT}\nready.cm = 70000", 14, "ready.cm is 70000", "at most 65535"),
        (OUTPUT, f'{OUTPUT}\nready.lines = "x"', 14, "unknown key 'lines'", "line"),
        (OUTPUT, f'{OUTPUT}\nmpi = "tcp"\nserver_stays = true', 15, "server_stays is for a", ""),
        (OUTPUT, 'output = "none"\nfactor = 2', 14, "factor and output = 'none'", "'columns'"),
        (OUTPUT, 'output = "none"\nclient_stays = true', 14, "client_stays and output = 'none'", "'columns'"),
        (OUTPUT, 'output = "pattern"\nunit = "MB/s"\nclient_stays = true\npattern = "(?=x)(?P<value>y)"', 16,
         "the end of the client cannot be seen", "a simpler pattern"),
        (f'{{host}}"\n{OUTPUT}', f'{{printed:p}} {{host}}"\n{OUTPUT}\nmpi = "tcp"', 12, "of a server, and", "one of"),
        (OUTPUT, f"{OUTPUT}\nfactor = 0", 14, "factor is 0", "more than 0"),
        (f'{{size}} {{iterations}} {{arguments}} {{host}}"\n{OUTPUT}',
         '{arguments} {host}"\noutput = "pattern"\nunit = "MB/s"\npattern = "(?P<value>x)"', 4, "sizes = 1024",
         "one size, since neither"),
        (OUTPUT, 'output = "csv"', 13, "has all sizes", "{sizes}"),
        (OUTPUT, 'output = "pattern"', 13, "belong together", "both"),
        (OUTPUT, f'{OUTPUT}\npattern = "x"', 13, "belong together", "both"),
        (OUTPUT, 'output = "pattern"\npattern = "("', 14, "is not a regular expression", ""),
        (OUTPUT, 'output = "pattern"\npattern = "(?P<unit>x)"', 14, "no group named value", "(?P<value>...)"),
        (OUTPUT, 'output = "pattern"\npattern = "(?P<value>x)"', 14, "no group named unit", "(?P<unit>...)"),
        (OUTPUT, 'output = "pattern"\nunit = "m"\npattern = "(?P<value>x)"', 14, "'m' is not a unit", "MB/s"),
        ("[programs.mine]", "[programs.tcp]", 7, "Verbyte has a program 'tcp' already", "another name"),
        ('program = "mine"', 'program = "yours"', 16, "unknown program 'yours'", "mine"),
        ('program = "mine"', 'program = "tcp"\narguments = "x"', 17, "tcp takes no arguments", "{arguments}"),
        ('program = "mine"', 'program = "mine"\narguments = "{prot}"', 17, "unknown placeholder {prot}", "port"),
        (BOTH, EACH + BOTH, 12, "server and each do not go together", "each alone"),
        (BOTH, EACH.replace("rank", "host"), 11, "unknown placeholder {host}", "addresses"),
        (BOTH, EACH.replace("rank", "size"), 11, "a computer may still be at the size before", "{port} in it"),
        (BOTH, EACH.replace("rank", "address:16"), 11, "unknown placeholder {address:16}", "address:15"),
        ("[programs.mine]", "[link]\ncomputers = 3\n[programs.mine]", 18, "runs on two computers", "each = ..."),
        ("[programs.mine]", "[link]\ncomputers = 17\n[programs.mine]", 8, "computers is 17", "at most 16"),
        (BOTH + OUTPUT, f"{EACH}{OUTPUT}\n[link]\nloss_ppm = 1", 17, "a switch, which models no loss", "without"),
        (BOTH + OUTPUT, f"{EACH}{OUTPUT}\n[link]\npfc = true", 17, "a has pfc, which is for cards", "over a card"),
        (
            BOTH + OUTPUT,
            f'{EACH}{OUTPUT}\nrdma = true\n[link]\npfc = true\ncard = "qdr"\ncomputers = 4\nqueue_bytes = 65536',
            21,
            "queue_bytes is 65536, and pfc leaves no loss only in a larger queue",
            "at least 98928 for 4 computers with this card",  # 6 * ((1000 + 2) ns * 4 bytes + 3 packets of 4160)
        ),
        (BOTH + OUTPUT, f"{EACH}{OUTPUT}\n[link]\necn = true", 17, "a has ecn, which is for cards", "over a card"),
        (
            BOTH + OUTPUT,
            f'{EACH}{OUTPUT}\nrdma = true\n[link]\necn = true\ncard = "qdr"\ncomputers = 4\nqueue_bytes = 33279',
            21,
            "queue_bytes is 33279, and ecn marks packets only in a larger queue",
            "at least 33280 with this card",  # 8 packets of 4160
        ),
        ("{size} {iterations}", "{sizes} {iterations}", 5, "iterations = 200", "the same number at every size"),
        ('name = "a"', 'name = "a"\nparameters = { until_stable = 1 }', 16, "until_stable = 1", "Verbyte's programs"),
        ('name = "a"', 'name = "a"\nvary.tx_depth = [1]', 16, "changes nothing for mine", "iterations"),
    ],
)  # fmt: skip
def test_mistake_is_refused_on_its_line(
    experiment_file: Write, old: str, new: str, line: int, what: str, expected: str
) -> None:
    profile = '[profile.exact]\nwhy = "w"\nbytes_per_size_at_most = "64K"\n' if "{sizes}" in new else ""
    text = HEAD + PROGRAM + SERIES
    assert old in text
    error = refused(experiment_file(text.replace(old, new, 1) + profile))
    assert (error.line, what in error.what, expected in error.expected) == (line, True, True), str(error)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{port} {size}", "{printed:p} {size}"),
        (BOTH, BOTH.replace(" -s {port}", "").replace("{port} {size}", "{printed:p} {size}")),
        (BOTH + OUTPUT, f'{BOTH.replace(" -s {port}", "")}{OUTPUT}\nfiles."conf" = "{{port}}"'),
        (BOTH + OUTPUT, f'each = "mine {{size}}"\n{OUTPUT}\nmpi = "tcp"'),
        ("cp source mine", "CC=gcc"),
    ],
    ids=["printed", "only printed", "port in a file", "size of MPI", "variable alone"],
)
def test_command_needs_no_more_than_it_uses(experiment_file: Write, old: str, new: str) -> None:
    text = HEAD + PROGRAM + SERIES
    assert old in text and load(experiment_file(text.replace(old, new, 1)))


def test_opening_an_experiment_builds_its_programs(experiment_file: Write, fake_site: Site, tmp_path: Path) -> None:
    (tmp_path / "source").write_text("built")
    campaign = open_campaign([experiment_file(HEAD + PROGRAM + SERIES)], fake_site, print)
    assert (tmp_path / "mine").read_text() == "built"
    assert campaign.plans[0].planned[0].trial.programs.keys() == {"mine"}


def test_failed_build_is_reported_with_its_last_line(experiment_file: Write, fake_site: Site) -> None:
    file = experiment_file(HEAD + PROGRAM + SERIES)
    with pytest.raises(LabError, match=r"cp source mine: cp: .*No such file"):
        open_campaign([file], fake_site, print)
    file.write_text(file.read_text().replace("cp source", "no-such-command source"))
    with pytest.raises(LabError, match=r"cannot be run: .*no-such-command"):
        open_campaign([file], fake_site, print)
