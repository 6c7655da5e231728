"""The traits of every site, and in records."""

from typing import Any

import pytest

from lab.errors import RecordError
from lab.places import CACHE, MACHINE
from lab.sites import exact, slurm, vm
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Traits, read_traits
from lab.sites.soft_rdma import SoftRdma
from lab.sites.ssh import LinkOfHosts
from lab.typed_json import as_json

MADE = [Cable.traits, SoftRdma.traits, vm.VmSite(MACHINE, CACHE, 1).traits]
REAL = [OwnDevices.traits, LinkOfHosts.traits, slurm.TRAITS]


def test_exact_trials_repeat_and_only_a_link_made_for_the_run_takes_a_model() -> None:
    assert exact.ExactSite.traits == EXACT and EXACT.repeats
    assert not any(traits.repeats for traits in (*MADE, *REAL))
    assert all(traits.takes_models for traits in (EXACT, *MADE))
    assert not any(traits.takes_models for traits in REAL)


@pytest.mark.parametrize(("processors", "one_core"), [(1, True), (2, False)])
def test_one_vm_with_a_cable_has_both_ends_on_one_core(processors: int, *, one_core: bool) -> None:
    assert vm.VmSite(MACHINE, CACHE, processors).traits.one_core == one_core


@pytest.mark.parametrize("traits", [EXACT, *MADE, *REAL])
def test_traits_are_read_back_from_a_record_but_for_the_exact_site(traits: Traits) -> None:
    assert read_traits("any", as_json(traits)) == traits
    assert read_traits("exact", as_json(traits)) == EXACT


@pytest.mark.parametrize("values", [None, {}, [], as_json(EXACT) | {"clock": "sun"}, as_json(EXACT) | {"reachable": 1}])
def test_a_record_without_traits_is_refused(values: Any) -> None:
    with pytest.raises(RecordError, match="has no valid traits of the site ssh"):
        read_traits("ssh", values)
