"""A SLURM cluster for all tests."""

import os

import pytest

from tests.slurm.cluster import Cluster, wait_for
from tests.slurm.debian import missing


@pytest.fixture(scope="session")
def slurm(request, tmp_path_factory):
    """Start two idle nodes; without SLURM skip, or fail if it is required."""
    absent = missing() + ["root, who starts the daemons"] * bool(os.geteuid())
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
    wait_for(lambda: not slurm.jobs(), "the end of all jobs")
