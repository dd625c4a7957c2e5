"""The command without the names that only POSIX has, as on Windows."""

import json
import os
import signal
import subprocess

import pytest

from tests.checkpoints import GPT, canonical, write

ON_WINDOWS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"}
"""The signals that Python has on Windows, and two ways to handle them."""

WITHOUT_POSIX = f"""
import os, shutil, signal, subprocess, sys, tempfile  # Their imports need the names.

for name in dir(signal):
    if name.startswith("SIG") and name not in {ON_WINDOWS!r}:
        delattr(signal, name)
for name in ("alarm", "getitimer", "setitimer", "pause", "pthread_kill", "pthread_sigmask",
             "sigpending", "sigwait", "sigwaitinfo", "sigtimedwait", "siginterrupt"):
    delattr(signal, name)
for name in ("chown", "confstr", "ctermid", "fchown", "fork", "forkpty", "getegid", "geteuid",
             "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getsid", "getuid",
             "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty", "pread", "pwrite",
             "register_at_fork", "sched_getaffinity", "sched_setaffinity", "sendfile", "setsid",
             "setuid", "statvfs", "sync", "sysconf", "tcgetpgrp", "ttyname", "uname", "wait"):
    delattr(os, name)
for name in ("crypt", "curses", "fcntl", "grp", "nis", "pty", "pwd", "readline", "resource", "spwd",
             "syslog", "termios", "tty"):
    sys.modules[name] = None  # It cannot be imported.
"""

EINVAL_FOR_A_CLOSED_PIPE = """
import errno, io, sys

class Pipe(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except BrokenPipeError:
            raise OSError(errno.EINVAL, "Invalid argument") from None

sys.stdout = io.TextIOWrapper(io.BufferedWriter(Pipe(1, "w", closefd=False)), encoding="utf-8")
"""


@pytest.fixture
def without_posix(invocation, tmp_path):
    """Return arguments for ``subprocess`` that run the command without the names, after ``more``.

    Reading or writing text without an encoding is an error: on Windows it is not UTF-8.
    """
    folder = tmp_path / "customized"
    folder.mkdir()

    def of(*arguments, more=""):
        (folder / "sitecustomize.py").write_text(WITHOUT_POSIX + more, "utf-8")
        asked = invocation(*arguments)
        asked["env"]["PYTHONPATH"] = os.pathsep.join([str(folder), asked["env"]["PYTHONPATH"]])
        python, *rest = asked["args"]
        strict = "-X", "warn_default_encoding", "-W", "error::EncodingWarning"
        return {**asked, "args": [python, *strict, *rest]}

    return of


@pytest.fixture
def run_python(without_posix):
    """Run Python code without the names."""

    def run(code):
        asked = without_posix()
        asked["args"][asked["args"].index("-c") + 1] = code
        return subprocess.run(**asked, capture_output=True, timeout=120)

    return run


def test_the_names_are_missing(run_python):
    """The other tests prove nothing if this one fails."""
    code = "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGPIPE'))\nimport fcntl"
    done = run_python(code)
    assert done.stdout == "False False\n"
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: ")


CONFIG = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 29}
CONFIG |= {"n_embd": 12, "n_layer": 2, "n_head": 3, "n_inner": 7, "n_positions": 11}


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "bert-base"),
        ("count", "bert-base", "--json", "-"),
        ("count", "bert-base", "--html", "page.html"),
        ("count", "config.json", "--symbolic"),
        ("count", "--jsonl", "lines.jsonl"),
        ("explain", "110M", "bert-base"),
        ("diff", "llama-7b", "llama-13b"),
        ("models",),
        ("frameworks",),
        ("checkpoint", "model.safetensors", "--model", "config.json"),
        ("count", "nobody's-model"),
        ("count", "nowhere/config.json"),
        ("verify", "--framework", "nobody's"),
        ("verify", "--help"),
    ],
    ids=" ".join,
)
def test_every_command_runs_as_on_posix(without_posix, paramproof, tmp_path, arguments):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    (tmp_path / "lines.jsonl").write_text((json.dumps(CONFIG) + "\n") * 3, "utf-8")
    write(tmp_path / "model.safetensors", canonical(GPT))
    done = subprocess.run(**without_posix(*arguments), capture_output=True, timeout=120)
    usual = paramproof(*arguments)
    assert done.stderr == usual.stderr
    assert done.stdout == usual.stdout
    assert done.returncode == usual.returncode


def test_a_configuration_from_a_pipe(without_posix):
    asked = without_posix("count", "-")
    done = subprocess.run(**asked, input=json.dumps(CONFIG), capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_public_name_can_be_imported(run_python):
    done = run_python("import paramproof; [getattr(paramproof, n) for n in paramproof.__all__]")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("more", ["", EINVAL_FOR_A_CLOSED_PIPE], ids=["EPIPE", "EINVAL"])
@pytest.mark.parametrize("arguments", [("count", "bert-base"), ("frameworks",), ("--help",)])
def test_a_reader_that_leaves(without_posix, run_unread, arguments, more):
    done = run_unread(without_posix(*arguments, more=more))
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_peak_memory_is_unknown_on_windows(run_python):
    code = """if True:
        from pathlib import Path
        from paramproof.verify.workers import peak_memory
        Path.exists = lambda path: False  # Linux has it in /proc as well.
        print(peak_memory())
    """
    done = run_python(code)
    assert (done.stdout, done.stderr) == ("0\n", "")
