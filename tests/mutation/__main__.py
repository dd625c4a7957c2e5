"""``python -m tests.mutation --sample 100 [FILE ...]``: which mutants does no test kill?

mutmut makes the mutations. Each is tried as a file with one place changed, in a copy of the
project: paramproof reads from stack frames whose error one is, and mutmut's own mutants add a
frame. The tests of the file's package run first, then those in other folders that test it too,
until one fails. The exit status is 1 if a mutant survives that ``equivalent.toml`` does not list,
with the reason why no test can tell it from the original, or if a listed one was killed.
"""

import argparse
import difflib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from mutmut.mutation.file_mutation import create_mutations, deep_replace

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
ROOMS = ("formulas", "paramproof")
ELSEWHERE = {
    "derivation": ["tests/frameworks/derive", "tests/foolers/test_foolers.py"],
    "tracing": [
        "tests/frameworks/test_torch_following.py",
        "tests/paramproof/derivation",
        "tests/frameworks/derive",
        "tests/foolers/test_foolers.py",
    ],
    "matching": ["tests/frameworks/test_live_torch.py"],
}
"""By package, the tests in other folders that test it too."""
SECONDS = 900
"""The processor time that the tests of a mutant may take: several times that of the original."""


class Mutant(NamedTuple):
    path: str
    number: int

    @property
    def change(self) -> tuple[str, str, str]:
        """The function without its module, and its lines before and after."""
        both = mutations(self.path)[0].code.splitlines(), self.source.splitlines()
        lines = list(difflib.unified_diff(*both, n=0, lineterm=""))[2:]
        before, after = (
            " ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"
        )
        return mutations(self.path)[1][self.number][0], before, after

    @property
    def source(self) -> str:
        module, found = mutations(self.path)
        one = found[self.number][1]
        return deep_replace(module, one.original_node, one.mutated_node).code


@cache
def mutations(path):
    """Return the parsed file, and each mutation of a function with the function's name."""
    module, found, *_ = create_mutations(path, (ROOT / path).read_text("utf-8"))
    names = {}
    for node in module.body:
        if type(node).__name__ == "FunctionDef":
            names[id(node)] = node.name.value
        elif type(node).__name__ == "ClassDef":
            for one in node.body.body:
                if type(one).__name__ == "FunctionDef":
                    names[id(one)] = f"{node.name.value}.{one.name.value}"
    inside = ((id(one.contained_by_top_level_function), one) for one in found)
    return module, [(names[owner], one) for owner, one in inside if owner in names]


def sample(files, number, seed):
    """Return that many mutants of the files; more with the same seed begin with the fewer."""
    every = [Mutant(path, place) for path in files for place in range(len(mutations(path)[1]))]
    return sorted(every, key=lambda one: sha256(f"{seed} {one}".encode()).digest())[:number]


def tests_of(path):
    package = Path(path).parts[1] if path.startswith("paramproof/") else ""
    own = f"tests/paramproof/{package}" if package else "tests/formulas"
    folder = own if (ROOT / own).is_dir() else "tests/paramproof"
    return [one for one in [folder, *ELSEWHERE.get(package, ())] if (ROOT / one).exists()]


def killed(mutant: Mutant, copy: Path) -> bool:
    file = copy / mutant.path
    original = file.read_bytes()
    file.write_text(mutant.source, "utf-8")
    try:
        return not all(passes(tests, copy) for tests in tests_of(mutant.path))
    finally:
        file.write_bytes(original)


def passes(tests: str, copy: Path) -> bool:
    environment = {**os.environ, "CI": "true", "PYTHONPATH": str(copy), "PYTHONHASHSEED": "0"}
    frameworks = ["--framework", "torch", "--framework", "transformers"]
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *frameworks, tests],
        cwd=copy,
        # Nothing compiled is left of a mutant.
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5)),
    )
    try:
        return run.wait(4 * SECONDS) in (0, 5)
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def try_all(mutants, processes) -> Iterator[tuple[Mutant, bool]]:
    """Yield each mutant and whether it is killed; every process has a copy of the project."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(processes) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(processes):
            ignored = shutil.ignore_patterns(".git", ".tox", ".venv", "build", "node_modules")
            copy = Path(folder, str(number))
            copies.put(Path(shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)))

        def one(mutant):
            copy = copies.get()
            try:
                return mutant, killed(mutant, copy)
            finally:
                copies.put(copy)

        yield from pool.map(one, mutants)


def equivalent():
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]
    return {(one["function"], one["before"], one["after"]): one["reason"] for one in listed}


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--sample", type=int, metavar="N", help="number of mutants (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="seed for drawing the sample")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="*", metavar="FILE", help="default: all of these rooms")
    options = parser.parse_args(arguments)
    files = options.files or sorted(
        str(path.relative_to(ROOT)) for room in ROOMS for path in (ROOT / room).rglob("*.py")
    )
    for tests in sorted({tests for path in files for tests in tests_of(path)}):
        if not passes(tests, ROOT):
            sys.exit(f"the tests of the original fail: pytest {tests}")
    results, listed = Counter(), equivalent()
    for mutant, dead in try_all(sample(files, options.sample, options.seed), options.processes):
        status = "killed" if dead else "survived"
        wrong = dead == (mutant.change in listed)
        results[status] += 1
        results["wrong"] += wrong
        line = {"path": mutant.path, "change": mutant.change, "status": status, "wrong": wrong}
        print(json.dumps(line, ensure_ascii=False), flush=True)
    tried = results["killed"] + results["survived"]
    print(f"{tried} mutants: {results['killed']} killed, {results['survived']} survived.")
    return int(results["wrong"] > 0 or not tried)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
