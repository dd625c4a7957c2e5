"""A SLURM cluster of two nodes on this machine, with its own keys, ports and folder."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.slurm.debian import PATH

NODES = ("n1", "n2")
STARTED = 60
"""Seconds within which a daemon has to answer."""
STOPPED = 20

CONFIGURATION = """
ClusterName=verify
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A job that is queued again begins when its credential has expired, which is after two minutes.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
# What users see of their jobs without accounting; and no control groups, which containers lack.
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=1
ReturnToService=2
KillWait=2
SlurmdTimeout=30
{nodes}
PartitionName=verify Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """The daemons, which run until the end of the context."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": PATH,
            "SLURM_CONF": str(folder / "slurm.conf"),
        }
        self.daemons = ExitStack()

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self.configure()
        with self.daemons as starting:
            files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
            paths = (f"--{option}={self.folder}/munge.{end}" for option, end in files.items())
            self.start("munged", "--foreground", "--force", *paths)
            wait_for((self.folder / "munge.socket").exists, "munged")
            self.start("slurmctld", "-D")
            for node in NODES:
                self.start("slurmd", "-D", "-N", node)
            wait_for(lambda: self.states() == dict.fromkeys(NODES, "idle"), "the nodes")
            self.daemons = starting.pop_all()
        return self

    def __exit__(self, *_):
        self.run("scancel", "--signal=KILL", "--user=root", check=False)
        self.daemons.close()

    def configure(self):
        """Write the configuration, with ports that are free."""
        with ExitStack() as held:
            sockets = [held.enter_context(socket.socket()) for _ in range(1 + len(NODES))]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            controller, *ports = (one.getsockname()[1] for one in sockets)
        host = socket.gethostname().partition(".")[0]
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for node, port in zip(NODES, ports, strict=True)
        )
        (self.folder / "state").mkdir()
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
        text = CONFIGURATION.format(
            host=host,
            controller=controller,
            folder=self.folder,
            nodes=nodes,
            names=",".join(NODES),
        )
        (self.folder / "slurm.conf").write_text(text)

    def start(self, program, *arguments):
        """Start a daemon, to be stopped at the end in reverse order."""
        with (self.folder / "daemons.log").open("a") as log:
            process = subprocess.Popen(
                [program, *arguments],
                executable=shutil.which(program, path=PATH),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.daemons.callback(stop, process)

    def run(self, *arguments, check=True):
        """Run a command of SLURM, and return its output."""
        done = subprocess.run(
            arguments, env=self.environment, check=check, capture_output=True, text=True
        )
        return done.stdout

    @contextmanager
    def running(self, *arguments):
        """Run a command of SLURM in the background: ``scancel`` may take minutes to report."""
        with subprocess.Popen(
            arguments, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            yield
            process.kill()

    def states(self):
        """Return the state of each node that answers."""
        said = self.run("sinfo", "--noheader", "--Node", "--format=%N %t", check=False)
        return dict(line.split() for line in said.splitlines())

    def jobs(self):
        """Return the state of each job that is not over, by its number."""
        said = self.run("squeue", "--noheader", "--array", "--format=%i %T", check=False)
        return dict(line.split() for line in said.splitlines())

    def at_work(self):
        """Return the numbers of the running jobs."""
        return [number for number, state in self.jobs().items() if state == "RUNNING"]


def stop(process):
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOPPED)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(happened, what, seconds=STARTED):
    """Wait until ``happened`` returns true."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"{what}: not within {seconds} seconds"
        time.sleep(0.1)
