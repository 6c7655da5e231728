"""The container in a small form: over a debootstrapped base, built without a network, and a trial in it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.machine.checkout import SMALL
from tests.release.hosts.roots import debootstrapped

from lab.places import ROOT
from lab.sites.exact import ExactSite

pytestmark = [pytest.mark.release, pytest.mark.usefixtures("root_namespaces")]

USER = 1000  # `lab` in the Containerfile
ALONE = ("unshare", "--net", "--mount")  # no network; the mounts of a builder that is killed go with it


@pytest.fixture(scope="module")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a buildah with a storage of its own, which asks nothing of the kernel."""
    folder = tmp_path_factory.mktemp("storage")
    places = f'driver = "vfs"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n'
    (folder / "storage.conf").write_text(f"[storage]\n{places}")
    yield {**os.environ, "BUILDAH_ISOLATION": "chroot", "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf")}
    subprocess.run(["rm", "-rf", folder], check=True)


def done(environment: dict[str, str], *command: str | Path) -> str:
    ended = subprocess.run(
        [*ALONE, *map(str, command)], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()


@pytest.fixture(scope="module")
def container(buildah: dict[str, str]) -> str:
    """A container of what the Containerfile makes of that base, with no package to install."""
    empty = done(buildah, "buildah", "from", "scratch")
    done(buildah, "buildah", "copy", "--quiet", empty, debootstrapped("bookworm", ["python3"]), "/")
    done(buildah, "buildah", "commit", "--quiet", empty, "localhost/base")
    words = ("--build-arg", "BASE=localhost/base", "--build-arg", "GROUPS=", "--target", "system")
    done(buildah, "code/container/build", *words)
    return done(buildah, "buildah", "from", "localhost/lab")


def test_a_trial_in_it_has_the_bytes_that_it_has_outside(
    exact: ExactSite, buildah: dict[str, str], container: str, tmp_path: Path
) -> None:
    """As its ordinary user, over a checkout that is somebody else's, without a network."""
    exact.verified_snapshot()
    (tmp_path / "small.toml").write_text(SMALL)
    tmp_path.chmod(0o755)
    run = (str(ROOT / ".venv/bin/lab"), "run", str(tmp_path / "small.toml"), "--site", "exact", "--results")
    checked = tmp_path / "checked"  # what the first use on a computer leaves
    checked.mkdir()
    os.chown(checked, USER, USER)
    volumes = (f"{ROOT}:{ROOT}:ro", f"{checked}:{ROOT}/.cache/exact-here:rw", f"{tmp_path}:{tmp_path}:ro")
    shown = [word for each in volumes for word in ("--volume", each)]
    script = 'id -un; "$@" /tmp/results && cat /tmp/results/small.csv'
    inside = ("buildah", "run", *shown, "--workingdir", str(ROOT), container, "--", "sh", "-c", script, "sh")
    who, said, *rows = done(buildah, *inside, *run).splitlines()
    assert (who, said) == ("lab", "1 trial measured, 0 done before, 0 failed")
    done(buildah, *run, tmp_path / "results")
    assert rows == (tmp_path / "results/small.csv").read_text().splitlines()
