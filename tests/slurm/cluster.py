"""A SLURM cluster of two nodes on this machine, with its own ports and folder."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

NODES = ("n1", "n2")
# Daemons are in a folder that may not be on a user's path.
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

# Without accounting, without keys, and without control groups, which containers lack.
CONFIGURATION = """
ClusterName=verify
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=1
PartitionName=verify Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}
        self.started = ExitStack()

    def __enter__(self):
        with ExitStack() as held:
            sockets = [held.enter_context(socket.socket()) for _ in range(3)]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            ports = [one.getsockname()[1] for one in sockets]
        ports = dict(zip(("controller", "first", "second"), ports, strict=True))
        host = socket.gethostname().partition(".")[0]
        text = CONFIGURATION.format(host=host, folder=self.folder, **ports)
        (self.folder / "slurm.conf").write_text(text)
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir()
        self.start("slurmctld", "-D")
        for node in NODES:
            self.start("slurmd", "-D", "-N", node)
        try:
            wait_for(lambda: self.listed("sinfo", "-N", "-o%N %t") == dict.fromkeys(NODES, "idle"))
        except BaseException:
            self.started.close()
            raise
        return self

    def __exit__(self, *_):
        self.run("scancel", "--signal=KILL", "--user=root", check=False)
        self.started.close()

    def start(self, program, *arguments):
        process = subprocess.Popen(
            [program, *arguments],
            executable=shutil.which(program, path=PATH),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.started.callback(process.wait)
        self.started.callback(process.terminate)

    def run(self, *arguments, check=True):
        done = subprocess.run(
            arguments, env=self.environment, check=check, capture_output=True, text=True
        )
        return done.stdout

    def listed(self, *command):
        """Return the lines of two words that a command prints, which may fail at first."""
        said = self.run(*command, "--noheader", check=False)
        return dict(line.split() for line in said.splitlines())

    def jobs(self):
        return self.listed("squeue", "--array", "--format=%i %T")


def wait_for(happened, seconds=120):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.1)
