"""An experiment with a student program."""

from tests.toml import series_of

TEXT = """title = "A student program"
question = "Does it print true times?"
[parameters]
sizes = "64,4K"
iterations = 1_000
repetitions = 1
[link]
mtu = 4200
[programs.mine]
folder = "mine"
build = "{build}"
binaries = ["mine"]
server = "mine --listen {{host}} --port {{port}}"
client = "mine --port {{port}} --size {{size}} --iterations {{iterations}} {{host}}"
output = "columns"
{more}
"""
# Another program with the same file name, in another folder of the same name.
OTHER = """
[programs.other]
folder = "other/mine"
build = "make -s"
binaries = ["mine"]
server = "mine --port {port}"
client = "mine --size {size} --iterations {iterations} {host}"
output = "columns"
""" + series_of("two other send throughput")


def experiment(build: str, *more: str) -> str:
    """The text of the experiment; `more` are lines of the program's table."""
    return TEXT.format(build=build, more="\n".join(more)) + series_of("mine mine send throughput")
