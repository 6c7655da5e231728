"""The words of a step at one end: lab.sites.agent.client."""

import pytest

from lab.sites.agent.client import locator, programs

PLACES = programs({"tcp": "/kept/tcp", "tcp-client": "/kept/tcp-client"}) | {"@client.host": "10.0.0.1"}


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("/lab/bin/tcp", "/kept/tcp"),
        ("exec /lab/bin/tcp @client.host:1", "exec /kept/tcp 10.0.0.1:1"),
        ("/lab/bin/tcp-client", "/kept/tcp-client"),
        ("/lab/bin/tcp.sh", "/lab/bin/tcp.sh"),
        ("/lab/bin/tcp2", "/lab/bin/tcp2"),
        ("--sizes", "--sizes"),
    ],
)
def test_names_of_programs_and_ends_are_replaced_whole(word: str, there: str) -> None:
    assert locator(PLACES)(word) == there
    assert locator({})(word) == word
