"""Run the tests on sampled mutants, each in a copy of the project, and keep the results."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

from tests.mutation.survivors import ROOT, Change
from tests.mutation.wide import Mutant

DERIVED = ["tests/frameworks/derive", "tests/foolers/test_foolers.py"]
FURTHER = {
    "derivation": ["tests/paramproof/tracing", *DERIVED],
    "tracing": [
        "tests/frameworks/test_torch_tracing.py",
        "tests/frameworks/test_transformers_sizes.py",
        "tests/paramproof/derivation",
        *DERIVED,
    ],
    "matching": [
        "tests/frameworks/test_live_torch.py",
        "tests/frameworks/test_live_torch_wrapped.py",
    ],
}
"""By package, the tests in other folders that test it too."""

OWN_SECONDS, FURTHER_SECONDS = 120, 900
"""The processor time that the tests of a package, and those in other folders, may take.

On the original they take at most 30 s and about 300 s.
"""
SECONDS = 3600
"""The time that one run may take: a mutant that waits uses no processor time."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the tests said of one mutant."""

    path: str
    number: int
    digest: str
    function: str
    before: str
    after: str
    status: str
    """``killed``, ``timed out`` or ``survived``."""
    tests: str
    """The tests of the last run, which ended with the first failure."""
    seconds: float

    @property
    def mutant(self) -> Mutant:
        return Mutant(self.path, self.number, self.digest)

    @property
    def change(self) -> Change:
        return Change(self.function, self.before, self.after)


class Suite(NamedTuple):
    """Tests that run together, and the processor time that they may take."""

    tests: list[str]
    seconds: int


def suites_of(path: str, own: bool) -> list[Suite]:
    """Return the tests of a file: first those of its package, then those in other folders.

    Args:
        path: The file, as ``paramproof/tracing/recorder.py``.
        own: Leave out the tests in other folders.
    """
    package = Path(path).parts[1]
    # The tests that are most likely to fail come first.
    mirrored = Path("tests", path).with_name(f"test_{Path(path).name}")
    tests = [str(mirrored)] if (ROOT / mirrored).exists() else []
    found = [Suite([*tests, f"tests/paramproof/{package}"], OWN_SECONDS)]
    if package in FURTHER and not own:
        found.append(Suite(FURTHER[package], FURTHER_SECONDS))
    return found


def stored_results(folder: Path) -> dict[Mutant, Result]:
    """Return the results in a folder, the newest of each mutant."""
    file = folder / "results.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    found = [Result(**json.loads(line)) for line in lines]
    return {one.mutant: one for one in found}


def try_mutants(
    wanted: Iterable[Mutant], folder: Path, processes: int, own: bool
) -> Iterator[Result]:
    """Run the tests on each mutant, and yield its result when it is stored in the folder.

    Raises:
        RuntimeError: If tests fail on the project as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mutants = list(wanted)
    if not mutants:
        return
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in range(processes)]
        pool = stack.enter_context(ThreadPoolExecutor(processes))
        # An interrupted run does not begin what is left.
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        suites = {one: suites_of(one.path, own) for one in mutants}
        every = list({str(one): one for found in suites.values() for one in found}.values())
        copies: SimpleQueue[Path] = SimpleQueue()
        for copy in pool.map(lambda copy: _prepare(copy, every), folders):
            copies.put(copy)
        futures = [pool.submit(_try_one, one, suites[one], copies) for one in mutants]
        for future in as_completed(futures):
            result = future.result()
            with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
                print(json.dumps(asdict(result)), file=file)
            yield result


def _prepare(copy: Path, suites: list[Suite]) -> Path:
    """Copy the project into a folder, and run the tests there, which leaves compiled files.

    Raises:
        RuntimeError: If a test fails.
    """
    _copy_project(copy)
    for suite in suites:
        status = _run_tests(copy, suite, PYTHONDONTWRITEBYTECODE="")
        if status != "survived":
            tests = " ".join(suite.tests)
            raise RuntimeError(f"the tests of the original are {status}: pytest {tests}")
    return copy


def _copy_project(copy: Path) -> None:
    """Copy the files that git tracks, and new ones that it does not ignore, links as links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if os.path.lexists(ROOT / name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)


def _try_one(mutant: Mutant, suites: list[Suite], copies: SimpleQueue[Path]) -> Result:
    """Run the tests in one of the copies, with the mutant in place of the file."""
    copy = copies.get()
    file = copy / mutant.path
    original, times = file.read_bytes(), file.stat()
    start = monotonic()
    try:
        file.write_text(mutant.source, "utf-8")
        # Python tells by the size and the time, in seconds, for which file another was compiled.
        os.utime(file, (times.st_atime, times.st_mtime + 10))
        for suite in suites:
            status = _run_tests(copy, suite)
            if status != "survived":
                break
    finally:
        file.write_bytes(original)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        copies.put(copy)
    return Result(
        **asdict(mutant),
        **asdict(mutant.change),
        status=status,
        tests=" ".join(suite.tests),
        seconds=round(monotonic() - start, 1),
    )


def _run_tests(copy: Path, suite: Suite, **variables: str) -> str:
    """Run tests until the first failure, and return the status of the mutant."""
    environment = {
        **os.environ,
        # The profile `ci` tries the same examples in every run.
        "CI": "true",
        "PYTHONPATH": str(copy),
        "PYTHONHASHSEED": "0",
        # Nothing compiled is left of a mutant.
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    frameworks = ["--framework", "torch", "--framework", "transformers"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    limit = (suite.seconds, suite.seconds + 5)
    run = subprocess.Popen(
        [*pytest, *frameworks, *suite.tests],
        cwd=copy,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
    )
    try:
        status = run.wait(SECONDS)
    except subprocess.TimeoutExpired:
        return "timed out"
    finally:
        _end(run)
    if status == -signal.SIGXCPU:
        return "timed out"
    return "killed" if status else "survived"


def _end(run: subprocess.Popen[bytes]) -> None:
    """End the tests, and the processes that they started."""
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
