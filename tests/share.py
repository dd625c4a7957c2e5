"""The share of the cases that a run takes, where a test has one for each type, variant or model.

A test marked ``shared("why")`` has so many cases that nobody waits for all of them. ``--share 3/8``
takes those of the third of eight parts, ``--share commit/8`` lets the commit decide which part: the
same at every run of a commit, another at the next one. The cases of a module, or of modules that
name one ``pool``, are divided evenly: each is in one part, and no part has none of them. Without
the option, or with ``1/1``, a run takes all.
"""

import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Share:
    number: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def take(self, cases):
        """Return the cases of this part, in their order; one of fewer cases than parts."""
        places = sorted(cases, key=lambda case: sha256(str(case).encode()).digest())
        parts = min(self.of, len(places))
        chosen = {str(case) for case in places[(self.number - 1) % parts :: parts]} if parts else ()
        return [case for case in cases if str(case) in chosen]

    def part(self, cases):
        """Return every ``of``-th of a list of cases, for a test that loops over many."""
        return cases[self.number - 1 :: self.of]

    def of_examples(self, number):
        """Return how many examples this part is, of a test that draws ``number`` of them."""
        return max(1, number // self.of)


SHARE = pytest.StashKey[Share]()
"""Where the configuration of pytest keeps the share of a run."""


def share_in(text):
    found = re.fullmatch(r"(commit|\d+)/([1-9]\d*)", text)
    if not found:
        raise pytest.UsageError(f"--share {text}: write a part such as 3/8, or commit/8")
    part, of = found[1], int(found[2])
    number = 1 + _commit() % of if part == "commit" else int(part)
    if not 1 <= number <= of:
        raise pytest.UsageError(f"--share {text}: the parts are 1/{of} to {of}/{of}")
    return Share(number, of)


def _commit():
    """Return the commit as a number, or 0 if the files are not in a repository."""
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return int(done.stdout or "0", 16)


def take_share(share, items):
    """Return the items of a run, with those of shared tests only if they are in the share.

    Also returns how many cases of shared tests there are, and how many of them are taken.
    """
    pools = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("shared"):
            module = item.nodeid.partition("::")[0]
            pools[marker.kwargs.get("pool", module)].append(item.nodeid)
    taken = {case for cases in pools.values() for case in share.take(cases)}
    shared = {case for cases in pools.values() for case in cases}
    if shared and not taken:
        raise pytest.UsageError(f"no case of {len(shared)} is in the share {share}")
    kept = [item for item in items if item.nodeid in taken or item.nodeid not in shared]
    return kept, len(shared), len(taken)
