"""The script of docs/checks.md on a real SLURM, with three shards of few models."""

import os
import re
import shlex
import shutil

import pytest

from docs.writers.blocks import ROOT
from tests.slurm.cluster import PATH, Cluster, wait_for

PAGE = ROOT / "docs" / "checks.md"
SHRUNK = {
    "--array=1-8": "--array=1-3",
    "shards=8": "shards=3",
    ". /shared/env/bin/activate": "",
    "--framework torch --seconds 3600": "--framework {framework} --family encoder --examples 3",
}


@pytest.fixture
def cluster(request, tmp_path):
    """Start two nodes; without SLURM or root, who starts daemons, skip, or fail if required."""
    if os.geteuid() or not shutil.which("slurmctld", path=PATH):
        said = "SLURM or root is not there: tox run -e slurm"
        (pytest.fail if request.config.getoption("--require") else pytest.skip)(said)
    (tmp_path / "slurm").mkdir()
    with Cluster(tmp_path / "slurm") as found:
        yield found


@pytest.fixture
def submit(waiting_toy, invocation, cluster, monkeypatch, tmp_path):
    asked = invocation()
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "paramproof"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(asked["args"])} "$@"\n')
    command.chmod(0o755)
    own = {name: asked["env"][name] for name in ("PYTHONPATH", "TOY_FOLDER")}
    path = f"{command.parent}:{cluster.environment['PATH']}"
    monkeypatch.setattr(cluster, "environment", {**cluster.environment, **own, "PATH": path})

    def run(framework, *options):
        (script,) = re.findall(r"( +#!/bin/bash\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        for full, few in SHRUNK.items():
            assert full in script
            script = script.replace(full, few.format(framework=framework))
        lines = [line.strip() for line in script.splitlines()]
        (tmp_path / "verify.sh").write_text("\n".join(lines))
        folder = f"--chdir={tmp_path}"
        return cluster.run("sbatch", "--parsable", folder, *options, tmp_path / "verify.sh").strip()

    return run


def test_all_shards_are_done(submit, cluster, paramproof):
    submit("toy")
    wait_for(lambda: not cluster.jobs())
    done = paramproof("verify", "--summary", "shard-1.json", "shard-2.json", "shard-3.json")
    assert done.returncode == 0, done.stderr
    # Twelve named encoders, which the first shard verifies.
    assert "21 of 21 models equal" in done.stdout
    assert "3 of 3 shards are done" in done.stdout


def test_a_killed_shard_is_run_again_by_its_number(
    submit, cluster, waiting_toy, paramproof, tmp_path
):
    number = submit("toy-waits")
    wait_for(lambda: len([*waiting_toy.glob("begun-*")]) >= 2)
    # It may take minutes to report.
    cluster.start("scancel", f"{number}_2")
    wait_for(lambda: cluster.jobs().get(f"{number}_2") != "RUNNING")
    (waiting_toy / "go").touch()
    wait_for(lambda: not cluster.jobs())
    assert not (tmp_path / "shard-2.json").exists()
    done = paramproof("verify", "--summary", "shard-1.json", "shard-3.json")
    assert done.returncode == 1
    assert "shard 2 of 3 is missing" in done.stdout
    submit("toy-waits", "--array=2")
    wait_for(lambda: not cluster.jobs())
    done = paramproof("verify", "--summary", "shard-1.json", "shard-2.json", "shard-3.json")
    assert done.returncode == 0, done.stdout
