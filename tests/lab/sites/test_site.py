from typing import Any

import pytest

from lab.errors import RecordError
from lab.places import CACHE, MACHINE
from lab.sites import exact, slurm, vm
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Traits, read_traits
from lab.sites.slurm import ExactOnSlurm
from lab.sites.soft_rdma import SoftRdma
from lab.sites.ssh import TwoHosts
from lab.typed_json import as_json

MADE = [Cable.traits, SoftRdma.traits, vm.VmSite(MACHINE, CACHE, 1).traits]
REAL = [OwnDevices.traits, TwoHosts.traits, slurm.TRAITS]


def test_only_a_link_that_is_made_for_the_run_takes_a_model() -> None:
    assert all(each.takes_models for each in (EXACT, *MADE))
    assert not any(each.takes_models for each in REAL)


def test_only_where_instructions_are_the_clock_a_trial_repeats() -> None:
    assert exact.ExactSite.traits == ExactOnSlurm.traits == EXACT and EXACT.repeats
    assert not any(each.repeats for each in (*MADE, *REAL))


@pytest.mark.parametrize(("processors", "one_core"), [(1, True), (2, False)])
def test_the_cable_within_one_virtual_machine_has_both_ends_on_one_core(processors: int, *, one_core: bool) -> None:
    assert vm.VmSite(MACHINE, CACHE, processors).traits.one_core == one_core


@pytest.mark.parametrize("traits", [EXACT, *MADE, *REAL])
def test_a_record_repeats_traits_whole(traits: Traits) -> None:
    assert read_traits("any", as_json(traits)) == traits


def test_no_record_can_say_that_the_exact_site_is_another() -> None:
    assert read_traits("exact", as_json(TwoHosts.traits)) == EXACT


@pytest.mark.parametrize("values", [None, {}, [], as_json(EXACT) | {"clock": "sun"}, as_json(EXACT) | {"reachable": 1}])
def test_a_record_without_traits_is_one_sentence(values: Any) -> None:
    with pytest.raises(RecordError, match="does not say what the site ssh is"):
        read_traits("ssh", values)
