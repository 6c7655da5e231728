"""Names for readers: lab.report.evidence.labels."""

from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.report.evidence.labels import label_within


def test_each_curve_of_an_experiment_has_a_name_of_its_own() -> None:
    experiment = load(EXPERIMENTS / "verbs_throughput.toml")
    labels = {each.name: label_within(experiment, each) for each in experiment.series}
    assert len({*labels.values()}) == len(labels)
    assert labels["card.inline"] == "RDMA WRITE (modelled card qdr, card.inline)"
    assert labels["tcp.gigabit"] == "TCP (1 Gbit/s)"
