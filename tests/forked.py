"""Run the command in a process of its own, forked from one that has already imported it.

Importing the command takes half a second; forking a process that has imported it takes
milliseconds. A fork gets its own arguments, environment, directory, outputs and status, and exits
as Python does, but frees no objects: that takes longer than most commands. Variables that are read
during import (COLUMNS and Python's own) were read earlier, so a command that sets environment
variables runs in a fresh process.
"""

import atexit
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path

TIMEOUT = 300


class ForkServer:
    def __init__(self, folder: Path) -> None:
        self.outputs = [folder / "stdout", folder / "stderr"]
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        with self.process:
            pass

    def run(self, *arguments, env, cwd):
        """Return what ``subprocess.run`` would return for the command with these arguments."""
        arguments = [os.fspath(argument) for argument in arguments]
        request = [arguments, env, str(cwd), list(map(str, self.outputs))]
        print(json.dumps(request), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            raise subprocess.TimeoutExpired(arguments, TIMEOUT)
        status = int(self.process.stdout.readline())
        stdout, stderr = (output.read_text() for output in self.outputs)
        return subprocess.CompletedProcess(arguments, status, stdout, stderr)


def serve():
    from paramproof.cli.main import COMMANDS, cli, main

    # The command imports each of these when it runs; a fork shall find them imported.
    for name in COMMANDS:
        cli.get_command(None, name)
    for name in ("hashlib", "importlib.metadata", "importlib.resources", "tomllib"):
        importlib.import_module(name)
    # A collection of garbage shall not visit what is imported.
    gc.freeze()
    for line in sys.stdin:
        fork = os.fork()
        if fork == 0:
            become(*json.loads(line))
            return run(main)
        print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)
    return None


def run(main):
    """Run the command and exit; an error of it ends the process in Python's own way."""
    status = 0
    try:
        main()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def become(arguments, environment, folder, outputs):
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["-c", *arguments]
    sys.path[:] = environment["PYTHONPATH"].split(os.pathsep)
    importlib.invalidate_caches()
    files = [os.devnull, *outputs]
    for number, path in enumerate(files):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY)
        os.dup2(file, number)
        os.close(file)


if __name__ == "__main__":
    serve()
