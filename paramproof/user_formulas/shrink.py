"""Find the smallest spec that still shows a difference, starting from one that does.

``hypothesis.find`` starts at random and may not find a rare difference again, and one framework
takes half a second for each build. So this search starts at a known difference and bisects. It
returns a spec that was built and differs. If differences only grow with sizes, no single choice
that draws the spec can be smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paramproof.formulas import Family, Spec
from paramproof.formulas.families import family_of
from paramproof.user_formulas.choices import Drawn, drawn, redrawn

MAX_BUILDS = 150
"""Enough builds to bisect every size of the largest model twice."""


def shrink(spec: Spec, differs: Callable[[Spec], bool]) -> Spec:
    """Return the smallest spec found that ``differs``, starting from ``spec``, which does.

    ``differs`` is called at most ``MAX_BUILDS`` times, and once for each spec. A spec that no
    choices draw is returned unchanged.
    """
    search = _Search(family_of(spec), differs, {spec: True})
    start = redrawn(spec)
    return spec if start is None else search.smallest(start)


@dataclass
class _Search:
    """A search among the specs of a family; ``answers`` has those tested so far."""

    family: Family
    differs: Callable[[Spec], bool]
    answers: dict[Spec, bool]

    def smallest(self, current: Drawn) -> Spec:
        """Return the smallest spec that differs, starting from ``current``."""
        if least := self._if_different({}):
            return least.spec
        before = None
        while current != before:
            before = current
            # Parts come first: a model without a head is easier to read.
            for name in before.chosen:
                if name in current.chosen:
                    current = self._bisected(current, name)
        return current.spec

    def _bisected(self, start: Drawn, name: str) -> Drawn:
        """Return ``start`` with the smallest choice ``name`` that still differs."""
        low, high, best = start.lowest[name], start.chosen[name], start
        middle = low
        while middle < high:
            if candidate := self._if_different(start.chosen | {name: middle}):
                high, best = middle, candidate
            else:
                low = middle
            middle = max(low + 1, (low + high) // 2)
        return best

    def _if_different(self, choices: Mapping[str, int]) -> Drawn | None:
        """Return the spec of these choices if it is valid and differs, or None."""
        candidate = drawn(self.family, choices)
        if candidate is None:
            return None
        spec, known = candidate.spec, self.answers
        if spec not in known:
            known[spec] = len(known) <= MAX_BUILDS and self.differs(spec)
        return candidate if known[spec] else None
