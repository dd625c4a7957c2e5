"""A model as a page shows it: at any sizes, under a convention, as formulas and as a tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from paramproof.formulas import Inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS, experts_of, per_token
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.errors import no_such
from paramproof.formulas.expression import Expression, expression, text
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import shown
from paramproof.formulas.spec import Quantity
from paramproof.resolver import Model
from paramproof.views.conventions import DEFAULT, active_in_letters, as_counted
from paramproof.views.formula import Term, terms
from paramproof.views.tree import TreeRow, tree

ACTIVE = {f"active, {name}": name for name in ACTIVE_CONVENTIONS}
"""The conventions for active parameters, by their names on a page."""

MEANINGS = {name: function.__doc__ or "" for name, function in CONVENTIONS.items()} | {
    name: f"Active parameters per token. {ACTIVE_CONVENTIONS[own].__doc__}"
    for name, own in ACTIVE.items()
}

MAX_DIGITS = 12
"""The most digits of a size."""

STEPS = 32
"""The number of values offered for a letter, up to four times the model's own."""

SMALL = 64
"""The largest size for which the next smaller and larger integers are offered, too."""

_SIZE = re.compile(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


def routers(model: Model) -> dict[str, str]:
    """Map the letters for experts to those for experts per token; {} if that is not known."""
    with suppress(ValueError):
        return per_token(model.architecture)
    return {}


def fields_of(model: Model) -> dict[str, str]:
    """Return the fields, by letter, of the sizes on which the count or a guard depends."""
    one = model.architecture
    used = one.formula.letters | one.bound_letters | {*routers(model).values()}
    return {name: field for name, field in one.fields.items() if name in used}


def at_sizes(model: Model, texts: Mapping[str, str]) -> Model:
    """Return the model at new sizes, given as text by letter.

    Raises ``ValueError``, in one line, for a text that is not a size, for a letter that the model
    does not have, and for sizes that it cannot have.
    """
    fields = fields_of(model)
    for name, written in texts.items():
        if name not in fields:
            letters = ", ".join(fields)
            raise ValueError(f"{shown(name)} is not a letter of this model; it has {letters}")
        if not _SIZE.fullmatch(written):
            number = f"a positive whole number of at most {MAX_DIGITS} digits"
            raise ValueError(f"{name} = {shown(written)} is not {number}")
    if not texts:
        return model
    moved = model.architecture.at({name: int(written) for name, written in texts.items()})
    return replace(model, architecture=moved, named=None, reading=None)


def choices(own: Model, model: Model) -> dict[str, list[int]]:
    """Return possible values of each letter, while the other letters keep the sizes of ``model``.

    The values lie around those of ``own``, and include that of ``model``.
    """
    found = {}
    for name in fields_of(own):
        size = own.sizes[name]
        tried = {size * step // 8 for step in range(1, STEPS + 1)} | {size}
        tried |= {size + step for step in range(-8, 9)} if size <= SMALL else set()
        allowed = [n for n in tried if n > 0 and model.architecture.has({name: n})]
        found[name] = sorted({*allowed, model.sizes[name]})
    return found


@dataclass(frozen=True)
class View:
    """The parameters of a model that a convention counts, as formulas, at the sizes of ``model``.

    Raises ``ValueError``, in one line, for an unknown convention and one that cannot be decided.
    """

    model: Model
    under: str = DEFAULT

    @cached_property
    def named(self) -> Inventory:
        """The counted tensors, each marked as trainable and not tied."""
        if self.under in ACTIVE:
            return active_in_letters(self.model, ACTIVE[self.under])
        if self.under in CONVENTIONS:
            return as_counted(self.model.architecture.inventory(), [self.under])
        raise no_such("convention", self.under, MEANINGS)

    @cached_property
    def rows(self) -> list[TreeRow]:
        return list(tree(self.named))

    @cached_property
    def terms(self) -> list[Term]:
        return terms(self.named)

    @cached_property
    def formula(self) -> Expression:
        return expression(self.named.total())

    @cached_property
    def colours(self) -> dict[str, int]:
        """The rank of each component of the sum, by name: 0 for the largest."""
        found: Counter[str] = Counter()
        for term in self.terms:
            found[leaf(term.path)] += self.at(term.times * term.each)
        return {name: place for place, (name, _) in enumerate(found.most_common())}

    @cached_property
    def number(self) -> int:
        return self.at(self.formula)

    def at(self, one: Quantity) -> int:
        return expression(one).evaluate(self.model.sizes)

    def resized(self, model: Model) -> View:
        """Return the view of the model at other sizes, reusing the formulas."""
        other = View(model, self.under)
        for name in ("named", "rows", "terms", "formula", "colours", "routed"):
            other.__dict__[name] = getattr(self, name)
        return other

    @cached_property
    def components(self) -> Branch:
        """The tree as components, without those whose count is 0."""
        root = Branch("total", "", self.number)
        above, summands = [root], {term.path for term in self.terms}
        for row in self.rows:
            del above[row.depth :]
            times, name, label = self.at(row.times), row.name, row.name
            if leaf(row.path) == LAYER:
                # Layers are called after their number and their stack, in links in letters.
                label = f"{text(expression(row.times))} ×"
                stack = leaf(above[-1].name)
                single = f"{times:,} × {stack.removesuffix('s')}"
                name = f"{times:,} {stack}" if times > 1 and stack.endswith("s") else single
            path = f"{above[-1].path}.{label}" if above[-1].path else label
            kind = above[-1].kind or (leaf(row.path) if row.path in summands else "")
            above.append(Branch(name, path, self.at(row.total), row, kind, times))
            if above[-1].total:
                above[-2].inside.append(above[-1])
        for one in reversed([*root.below()]):
            one.experts = self._experts(one)
        return root

    @cached_property
    def routed(self) -> dict[str, tuple[str, str]]:
        """Map each tensor of experts to the letters for all experts and for those per token."""
        with suppress(ValueError):  # Names and shapes may not decide it.
            if chosen := routers(self.model):
                found = experts_of(self.model.architecture)
                return {path: (experts, chosen[experts]) for path, experts in found.items()}
        return {}

    def _experts(self, branch: Branch) -> Experts | None:
        """Return how many experts a component consists of, None if it has anything else."""
        if branch.inside:
            first, *others = {one.experts for one in branch.inside}
            return None if others else first
        if branch.row is None or branch.row.path not in self.routed:
            return None
        every, chosen = (self.model.sizes[name] for name in self.routed[branch.row.path])
        # Active parameters are those of the chosen experts only.
        return Experts(chosen if self.under in ACTIVE else every, chosen)


class Experts(NamedTuple):
    """The number of experts in a layer, and how many of them a token is sent to."""

    every: int
    per_token: int


@dataclass
class Branch:
    """A component: its name, its path in links, its count, and the components inside it.

    ``row`` is its row of the tree, and ``kind`` the name of the component of the sum that contains
    it; the whole model has neither. It occurs ``times`` times, once for each layer. ``experts`` is
    set if it consists of nothing but experts.
    """

    name: str
    path: str
    total: int
    row: TreeRow | None = None
    kind: str = ""
    times: int = 1
    experts: Experts | None = None
    inside: list[Branch] = field(default_factory=list)

    @property
    def parts(self) -> list[Branch]:
        """The components inside it, the largest first."""
        return sorted(self.inside, key=lambda one: -one.total)

    @property
    def is_unit(self) -> bool:
        return bool(self.inside) and not any(one.inside for one in self.inside)

    def below(self) -> Iterator[Branch]:
        yield self
        for part in self.inside:
            yield from part.below()

    def way(self, path: str) -> list[Branch]:
        """Return the components from this one down to ``path``, as far as they exist."""
        for part in self.inside:
            if path == part.path or path.startswith(f"{part.path}."):
                return [self, *part.way(path)]
        return [self]

    def largest_kind(self) -> str:
        found = (part.largest_kind() for part in self.parts)
        return self.kind or next(filter(None, found), "")

    def first_apart(self) -> Branch:
        """Return this component, or the first one below it with more parts than one, or none."""
        return self.inside[0].first_apart() if len(self.inside) == 1 else self
