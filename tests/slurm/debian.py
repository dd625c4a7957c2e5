"""Install Debian's packages of SLURM if they are missing: ``python -m tests.slurm.debian``."""

import os
import shutil
import subprocess
import sys

PACKAGES = ("munge", "slurmctld", "slurmd", "slurm-client")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
"""Daemons are in folders that may not be on a user's path."""


def missing():
    """Return the missing programs."""
    return [program for program in PROGRAMS if not shutil.which(program, path=PATH)]


def main():
    """Install what is missing; return a message if that is impossible, else nothing."""
    if not missing():
        return None
    asked = ["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES]
    if os.geteuid() or not shutil.which("apt-get"):
        return f"missing: {', '.join(missing())}; on Debian, as root: {' '.join(asked)}"
    # Without a service manager no daemon starts by itself, and with one none should.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(["apt-get", "update", "--quiet"], check=True)
    subprocess.run(asked, env=environment, check=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
