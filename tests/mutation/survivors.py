"""Read mutmut's results: which mutants no test kills, and the reason for each."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).parent / "equivalent.toml"
EQUIVALENT_SAMPLED = Path(__file__).parent / "equivalent_sampled.toml"

KILLED = 1
"""The exit status of a failed pytest run."""
TIMEOUTS = {-24, 24, 36, 152, 255}
"""The statuses by which mutmut reports that a mutant ran much longer than the original."""


@dataclass(frozen=True, slots=True)
class Change:
    """A mutant's change: the lines of one function, before and after."""

    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.function}\n  - {self.before}\n  + {self.after}"


def equivalent(listed: Path = EQUIVALENT) -> dict[Change, str]:
    """Return the changes that no test can detect, each with the reason."""
    entries = tomllib.loads(listed.read_text("utf-8"))["equivalent"]
    reasons = {}
    for entry in entries:
        reason = entry.pop("reason")
        reasons[Change(**entry)] = reason
    if len(reasons) != len(entries):
        raise ValueError(f"{listed.name} lists a change twice")
    return reasons


def statuses() -> dict[str, int | None]:
    """Return the tests' exit status for each mutant, None if they did not run."""
    found: dict[str, int | None] = {}
    for path in sorted((ROOT / "mutants" / "paramproof").rglob("*.meta")):
        found |= json.loads(path.read_text("utf-8"))["exit_code_by_key"]
    return found


def survivors() -> Iterator[Change]:
    """Return every mutant on which the tests did not fail, whatever the reason."""
    for name, status in statuses().items():
        if status != KILLED and status not in TIMEOUTS:
            yield change(name)


def change(mutant: str) -> Change:
    """Return a mutant's change, as mutmut shows it."""
    shown = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", mutant],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    changed = [line for line in shown if line[:1] in "+-" and line[:3] not in ("---", "+++")]
    before, after = (
        " ".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+"
    )
    return Change(_function(mutant), before, after)


def score() -> str:
    """Return the result of a run as Markdown."""
    killed = Counter(
        "killed" if status == KILLED else "timed out" if status in TIMEOUTS else "survived"
        for status in statuses().values()
    )
    total = killed.total()
    dead = total - killed["survived"]
    return (
        f"{total} mutants of `formulas/`, `derivation/` and `tracing/`: {dead} killed, "
        f"{killed['survived']} survived, all of them equivalent "
        f"({100 * dead / total:.1f} % killed).\n"
    )


def sampled_score(statuses: Iterable[str], mutants: int) -> str:
    """Return the result of a sample as Markdown.

    Args:
        statuses: What became of each sampled mutant.
        mutants: The number of mutants that the sample was drawn from.
    """
    found = Counter(statuses)
    total, survived = found.total(), found["survived"]
    return (
        f"{total} of {mutants:,} mutants, drawn at random: {total - survived} killed "
        f"({found['timed out']} of them by the time limit), {survived} survived, all of them "
        f"equivalent ({100 * (total - survived) / total:.1f} % killed).\n"
    )


def _function(mutant: str) -> str:
    """Turn ``….spec.xǁNumericsǁ__post_init____mutmut_4`` into ``….spec.Numerics.__post_init__``."""
    module, _, mangled = mutant.rpartition(".")
    name = mangled.rpartition("__mutmut_")[0].removeprefix("x")
    return f"{module}.{name.strip('ǁ').replace('ǁ', '.') if 'ǁ' in name else name[1:]}"
