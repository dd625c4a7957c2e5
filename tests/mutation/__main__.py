"""``python -m tests.mutation``: mutate the code in one place at a time, and check the survivors.

Without ``--sample`` it runs every mutant of the small scope: ``formulas/``, and the files of
derivation and tracing that ``[tool.mutmut]`` names. Exit status 1 if a survivor is not listed in
``equivalent.toml``, if an entry of that list is stale, or if the docs have a different score;
``--write`` updates the score there.

``--sample N`` runs N mutants of the wide scope: all other files of derivation and tracing, and
those of the catalogue's reader, matching and resolving. Mutants with a result in the folder are
not run again, so that an interrupted run can resume, and samples of several seeds add up. The
score is that of all results in the folder. Exit status 1 if a survivor is not listed in
``equivalent_sampled.toml``, or if an entry of that list was killed.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from docs.writers import evidence  # noqa: F401
from docs.writers.blocks import PAGES, block, fill, put
from tests.mutation import trying, wide
from tests.mutation.survivors import (
    EQUIVALENT_SAMPLED,
    ROOT,
    equivalent,
    sampled_score,
    score,
    survivors,
)


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    return run_all(options.write) if options.sample is None else run_sample(options)


def run_all(write: bool) -> int:
    """Run every mutant of the small scope, and return the exit status."""
    # An earlier run's results are for other code.
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    processes = str(os.cpu_count() or 1)
    # The profile `ci` tries the same examples in every run.
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", processes],
        env={**os.environ, "CI": "true"},
        cwd=ROOT,
        check=True,
    )
    listed, found = equivalent(), set(survivors())
    for change in sorted(found - set(listed), key=str):
        print(f"survived: {change}")
    for change in sorted(set(listed) - found, key=str):
        print(f"stale, did not survive: {change}")
    if found != set(listed):
        return 1
    print(score())
    if write:
        put("mutation", score=score())
        fill("mutation")
        fill("evidence")
    elif block("score", PAGES["mutation"].read_text("utf-8")).strip() != score().strip():
        print("docs/mutation.md has another score: run tox run -e mutation -- --write")
        return 1
    return 0


def run_sample(options: argparse.Namespace) -> int:
    """Run a sample of the wide scope, and return the exit status."""
    population = list(wide.mutants(options.files or wide.files()))
    sampled = wide.sample(population, options.sample, options.seed)
    stored = trying.stored_results(options.folder)
    wanted = [one for one in sampled if one not in stored]
    if options.again:
        wanted += [one for one in population if one in stored and stored[one].status == "survived"]
    for result in trying.try_mutants(wanted, options.folder, options.processes, options.own):
        stored[result.mutant] = result
        print(f"{result.status} in {result.seconds} s: {result.change}", flush=True)
    # Also what another seed drew; but not what was run on other code.
    results = [stored[one] for one in population if one in stored]
    listed = equivalent(EQUIVALENT_SAMPLED)
    survived = {one.change for one in results if one.status == "survived"}
    # One text may describe two mutants.
    dead = {one.change for one in results if one.status != "survived"} - survived
    for change in sorted(survived - set(listed), key=str):
        print(f"survived: {change}")
    for change in sorted(dead & set(listed), key=str):
        print(f"stale, did not survive: {change}")
    if survived - set(listed) or dead & set(listed):
        return 1
    found = sampled_score([one.status for one in results], len(population))
    print(found)
    if options.write:
        put("mutation", **{"sampled-score": found})
        fill("mutation")
        fill("evidence")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--write", action="store_true", help="write the list and the score to docs")
    parser.add_argument("--sample", type=int, metavar="N", help="run N mutants of the wide scope")
    parser.add_argument("--seed", type=int, default=0, help="seed for drawing the sample")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "mutants",
        help="folder for the results of a sample; a run goes on with those that it has",
    )
    parser.add_argument(
        "--own", action="store_true", help="run only the tests of a file's own package"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="run the survivors in the folder again, on changed tests",
    )
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="number of mutants at a time"
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="file to draw from (default: all of the scope)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
