"""An end of the data link, from hosts.toml and from its agent."""

import pytest

from lab.errors import SiteError
from lab.model.trial import End
from lab.sites.agent.client import FarEnd, Reply
from lab.sites.agent.jobs import data_end
from lab.typed_json import JsonValue


class Bob(FarEnd):
    """An agent with a fixed end of the link."""

    def __init__(self, **found: str) -> None:
        self.name, self.found = "bob", found

    def ask(self, what: str, **request: JsonValue) -> Reply:
        assert what == "end"
        return {"found": {"gid": "", **request, **self.found}}


def test_an_end_has_the_known_parts_and_those_that_its_agent_finds() -> None:
    end = data_end(Bob(interface="eth0", address="10.1.0.2"), {"device": "mlx5_0"}, "hosts.toml")
    assert end == End("10.1.0.2", "mlx5_0", "eth0")


@pytest.mark.parametrize(
    ("known", "interface", "sentence"),
    [
        ({}, "", r"bob: no data link found \(try: rdma link, over there; or hosts.toml\)"),
        ({"device": "mlx5_9"}, "", "bob: no RDMA device mlx5_9, or without an interface"),
        ({}, "eth0", r"bob: the data link's interface eth0 has no address \(try: ip addr add"),
    ],
)
def test_an_incomplete_end_is_one_sentence(known: dict[str, str], interface: str, sentence: str) -> None:
    with pytest.raises(SiteError, match=f"^{sentence}"):
        data_end(Bob(interface=interface), known, "hosts.toml")
