"""Find the smallest spec that still shows a difference, starting from one that does.

Not by ``hypothesis.find``, which begins at random and may not meet a rare difference again:
a build costs half a second in one framework, so the search begins where there is one, and
halves. What it returns has been built and differs; no single choice by which it is drawn can
be made smaller, where differences only grow with sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paramproof.formulas import Family, Spec
from paramproof.formulas.families import family_of
from paramproof.user_formulas.choices import Drawn, drawn, redrawn

MAX_BUILDS = 150
"""Enough to halve every size of the largest model twice over."""


def shrink(spec: Spec, differs: Callable[[Spec], bool]) -> Spec:
    """Return ``spec``, at which the count ``differs``, made as small as it goes.

    ``differs`` is asked ``MAX_BUILDS`` times at most, and never twice about one spec. A spec
    that its family never draws is returned as it is.
    """
    search = _Search(family_of(spec), differs, {spec: True})
    start = redrawn(spec)
    return spec if start is None else search.smallest(start)


@dataclass
class _Search:
    """The specs of a family that were asked about, and the answers."""

    family: Family
    differs: Callable[[Spec], bool]
    answers: dict[Spec, bool]

    def smallest(self, found: Drawn) -> Spec:
        """The smallest spec that differs, from ``found`` on."""
        if least := self._still({}):
            return least.spec
        before = None
        while found != before:
            before = found
            # The parts go first: without a head there is less to look at.
            for name in before.chosen:
                if name in found.chosen:
                    found = self._halved(found, name)
        return found.spec

    def _halved(self, start: Drawn, name: str) -> Drawn:
        """``start`` with the choice ``name`` as small as still differs, by bisection."""
        low, high, best = start.lowest[name], start.chosen[name], start
        middle = low
        while middle < high:
            if candidate := self._still(start.chosen | {name: middle}):
                high, best = middle, candidate
            else:
                low = middle
            middle = max(low + 1, (low + high) // 2)
        return best

    def _still(self, choices: Mapping[str, int]) -> Drawn | None:
        """The spec of these choices if it differs; None where there is none, or it does not."""
        candidate = drawn(self.family, choices)
        if candidate is None:
            return None
        spec, known = candidate.spec, self.answers
        if spec not in known:
            known[spec] = len(known) <= MAX_BUILDS and self.differs(spec)
        return candidate if known[spec] else None
