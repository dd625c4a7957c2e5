"""Two models side by side: what each component has, in letters and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from paramproof.algebra.difference import Component, components
from paramproof.algebra.terms import Lettered
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.printing import legible
from paramproof.resolver import AnyModel


class Compared(NamedTuple):
    """A component of two models, each at its own sizes; None where one has no such component.

    ``letters`` are what the other has more.
    """

    path: str
    letters: Expression
    first: int | None
    other: int | None

    @property
    def difference(self) -> int:
        """What the other has more."""
        return (self.other or 0) - (self.first or 0)


def compared(one: Lettered, two: Lettered) -> Iterator[Compared]:
    """Yield every component of both, and last the total."""
    total = Component("total", expression(one.named.total()), expression(two.named.total()))
    for component in (*components(one, two), total):
        numbers = _number(component.first, one), _number(component.other, two)
        yield Compared(component.path, component.difference, *numbers)


def _number(size: Expression | None, model: Lettered) -> int | None:
    return None if size is None else size.evaluate(model.sizes)


def sizes_apart(models: Sequence[AnyModel], one: Lettered, two: Lettered) -> Iterator[str]:
    """Yield what the letters are, where they occur: those that differ, with both sizes."""
    used = [expression(model.named.total()).letters for model in (one, two)]
    for name in dict.fromkeys([*one.sizes, *two.sizes]):
        if name not in used[0] | used[1]:
            continue
        first, other = (
            model.sizes.get(name) if name in letters else None
            for model, letters in zip((one, two), used, strict=True)
        )
        if first != other:
            field = (two.fields or {}).get(name) or (one.fields or {}).get(name)
            what = f" ({legible(field)})" if field else ""
            shown = ("-" if size is None else f"{size:,}" for size in (first, other))
            where = (f"{size} in {m.title}" for size, m in zip(shown, models, strict=True))
            yield f"{name}{what}: {', '.join(where)}"
