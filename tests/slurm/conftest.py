"""A SLURM cluster for all tests, and a hunt on it as a user starts it."""

import os
import subprocess
from importlib import util

import pytest

from paramproof.formulas.installation import install_command
from tests.slurm.cluster import Cluster, wait_for
from tests.slurm.debian import missing


@pytest.fixture(scope="session")
def slurm(request, tmp_path_factory):
    """Start two idle nodes; without SLURM skip, or fail if it is required."""
    absent = missing()
    if not util.find_spec("submitit"):
        absent.append(f"submitit ({install_command('slurm')})")
    if os.geteuid():
        absent.append("root, who starts the daemons")
    if absent:
        said = f"not there: {', '.join(absent)}; tox run -e slurm"
        if request.config.getoption("--require"):
            pytest.fail(said, pytrace=False)
        pytest.skip(said)
    # A socket's path has to be short.
    with Cluster(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


@pytest.fixture
def cluster(slurm):
    """Return the cluster; afterwards, wait until its nodes are idle again, without jobs."""
    yield slurm
    slurm.run("scancel", "--signal=KILL", "--user=root", check=False)
    slurm.run("scancel", "--user=root", check=False)
    slurm.run("scontrol", "update", "NodeName=n1,n2", "State=RESUME", check=False)
    wait_for(lambda: not slurm.jobs(), "the end of all jobs")


@pytest.fixture
def hunt(invocation, cluster, tmp_path):
    """Return a function that starts ``paramproof hunt --on slurm``; the hunt is ended with the
    test."""
    started = []

    def start(*arguments):
        asked = invocation("hunt", "--on", "slurm", "--time", "5", *arguments)
        asked["env"] |= {name: cluster.environment[name] for name in ("PATH", "SLURM_CONF")}
        process = subprocess.Popen(**asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
