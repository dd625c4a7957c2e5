"""SLURM as Debian packages it, installed where it is missing: ``python -m tests.slurm.debian``."""

import os
import shutil
import subprocess
import sys

PACKAGES = ("munge", "slurmctld", "slurmd", "slurm-client")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
"""Daemons lie where the path of a user may not lead."""


def missing():
    """Return the programs that are not there."""
    return [program for program in PROGRAMS if not shutil.which(program, path=PATH)]


def main():
    """Install what is missing; return what to tell who cannot, or nothing."""
    if not missing():
        return None
    asked = ["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES]
    if os.geteuid() or not shutil.which("apt-get"):
        return f"missing: {', '.join(missing())}; on Debian, as root: {' '.join(asked)}"
    # Without a service manager there is nothing to start; with one, nothing should be.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(["apt-get", "update", "--quiet"], check=True)
    subprocess.run(asked, env=environment, check=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
