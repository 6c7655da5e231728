from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.lab.fake_site import FakeSite

from lab.errors import TrialFailed
from lab.plan.plan import Plan, SiteFacts
from lab.run.measure import measure


@pytest.mark.parametrize("end", ["client", "server"])
def test_a_program_of_rdma_is_not_started_where_an_end_has_no_device(
    make_small_plan: Callable[..., Plan], fake_site: FakeSite, facts: SiteFacts, end: str
) -> None:
    bare = replace(facts.ends, **{end: replace(getattr(facts.ends, end), device="")})
    there = replace(facts, ends=bare)
    tried = {each.series.name: each for each in make_small_plan().planned}
    with pytest.raises(TrialFailed, match="verbs needs an RDMA device at both ends, and this link has none"):
        measure(tried["ours"], fake_site, there)
    assert fake_site.jobs == 0
    assert measure(tried["trips"], fake_site, there).samples
