"""The command `lab script`: a job script for a cluster's queue with the MPI trials of an experiment."""

from __future__ import annotations

import shlex
from argparse import Namespace

from lab.errors import SiteError
from lab.model.trial import End, Ends, Job
from lab.plan.binaries import keep_binaries
from lab.plan.plan import Plan, Planned, SiteFacts, binaries, make_plan
from lab.plan.workshop import find_experiment
from lab.sites.agent.locate import kept, locator
from lab.sites.cluster.script import load as load_modules
from lab.sites.cluster.script import options as sbatch_options
from lab.sites.cluster.script import shell
from lab.sites.hosts import Slurm, read_slurm
from lab.sites.slurm import TRAITS
from lab.spec.reader import load

HEAD = """{shell}#SBATCH --job-name=lab-{name}
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time={minutes}
#SBATCH --output=%x-%j.log
{options}
# A CSV for each trial, in a folder of the job's own, in the folder from which it was submitted.
out=$SLURM_SUBMIT_DIR/lab-{name}-$SLURM_JOB_ID
failed=0
mkdir -p "$out"
{modules}"""


def script(options: Namespace) -> int:
    """Print a job script for two nodes of a cluster."""
    cluster = read_slurm(options.hosts)
    experiment = load(find_experiment(options.experiment))
    plan = make_plan(experiment, cluster_facts(cluster), keep_binaries(binaries([experiment])))
    print(make_script(plan, cluster), end="")
    return 0


def cluster_facts(cluster: Slurm) -> SiteFacts:
    """Two nodes: the cluster chooses their names, hosts.toml must name their end of the link."""
    if not cluster.interface:
        raise SiteError("a job script must name the nodes' data link", "hosts.toml", 'interface = "..." under [slurm]')
    ends = [End(f"node{number}", cluster.device, cluster.interface) for number in (0, 1)]
    return SiteFacts("slurm", Ends(ends[0], ends[1], "", cluster.launcher), {}, TRAITS)


def make_script(plan: Plan, cluster: Slurm) -> str:
    """The script's text."""
    launched = [each for each in plan.planned if is_launched(each.trial.job) and plan.site.can_run(each.series.tool)]
    if not launched:
        raise SiteError("no series of it runs an MPI program", plan.experiment.name, "lab run --site slurm")
    name = plan.experiment.name
    head = HEAD.format(
        name=name,
        minutes=cluster.minutes * len(launched),
        shell=shell(cluster),
        options="\n".join(f"#SBATCH {each}" for each in sbatch_options(cluster)),
        modules=load_modules(cluster),
    )
    return head + "".join(map(_trial, launched)) + "exit $failed\n"


def is_launched(job: Job) -> bool:
    """Whether one command starts both ends: no server waits for a client."""
    return not any(step.server for step in job.steps)


def _trial(planned: Planned) -> str:
    """The lines of one trial; the next trial runs even if this one fails."""
    point = "".join(f".{value}" for value in planned.point.values())
    file = f"{planned.series.name}{point}.{planned.repetition}.csv"
    locate = locator(kept(planned.trial.job.overlay))
    text = " && ".join(shlex.join(map(locate, step.client)) for step in planned.trial.job.steps)
    return f'{{ {text}; }} >"$out"/{shlex.quote(file)} || failed=1\n'
