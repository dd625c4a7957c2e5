"""A model as a page shows it: under a convention, in letters and at sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from paramproof.algebra.terms import Lettered, Term, terms
from paramproof.counting.active import active_in_letters
from paramproof.counting.conventions import DEFAULT
from paramproof.counting.letters import in_letters
from paramproof.counting.tree import TreeRow, tree
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.conventions import CONVENTIONS, PARTS, counted
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.lookup import no_such
from paramproof.formulas.notation import text
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity
from paramproof.pages.sizing import sizes_of
from paramproof.resolver import AnyModel

ACTIVE = {f"active, {name}": convention for name, convention in ACTIVE_CONVENTIONS.items()}
"""What one token passes, by the name that a page has for it."""

MEANINGS = {name: function.__doc__ or "" for name, function in CONVENTIONS.items()} | {
    name: f"What one token passes. {function.__doc__}" for name, function in ACTIVE.items()
}


@dataclass(frozen=True)
class View:
    """What a convention counts of a model, in letters; ``model`` says at which sizes.

    Raises ``ValueError``, in one line, for no convention and for one that cannot be decided.
    """

    model: AnyModel
    under: str = DEFAULT

    @cached_property
    def lettered(self) -> Lettered:
        """Return the tensors that count, each as one that does."""
        if self.under in ACTIVE:
            whole = active_in_letters(self.model)
            named = ACTIVE[self.under](whole.named)
        elif self.under in CONVENTIONS:
            whole = in_letters(self.model)
            storage = (DEFAULT,) if self.under in PARTS else ()
            named = counted(whole.named, *storage, self.under)
        else:
            raise no_such("convention", self.under, MEANINGS)
        tensors = tuple(replace(one, trainable=True, tied_to=None) for one in named)
        return replace(whole, named=replace(named, tensors=tensors), closed=None)

    @cached_property
    def rows(self) -> list[TreeRow]:
        """The tree, in letters."""
        return list(tree(self.lettered.named))

    @cached_property
    def terms(self) -> list[Term]:
        """The sum, by component."""
        return terms(self.lettered.named)

    @cached_property
    def formula(self) -> Expression:
        """All of it."""
        return expression(self.lettered.named.total())

    @cached_property
    def colours(self) -> dict[str, int]:
        """Return a number for each name of a component of the sum, 0 for the largest."""
        found: Counter[str] = Counter()
        for term in self.terms:
            found[leaf(term.path)] += self.at(term.times * term.each)
        return {name: place for place, (name, _) in enumerate(found.most_common())}

    @cached_property
    def number(self) -> int:
        """All of it, as a number."""
        return self.at(self.formula)

    def at(self, one: Quantity) -> int:
        """Return the value of an expression at the model's sizes."""
        return expression(one).evaluate(self.lettered.sizes)

    def resized(self, model: AnyModel) -> View:
        """Return the same of the model at other sizes: what is in letters is not made again."""
        made = {name: getattr(self, name) for name in ("rows", "terms", "formula", "colours")}
        sizes = {**self.lettered.sizes, **sizes_of(model)}
        other = View(model, self.under)
        other.__dict__.update(made, lettered=replace(self.lettered, sizes=sizes))
        return other

    @cached_property
    def components(self) -> Branch:
        """Return the tree as components, without those that nothing is counted of."""
        root = Branch("total", "", self.number)
        above = [root]
        for row in self.rows:
            del above[row.depth :]
            name, before = label(row), above[-1].path
            path = f"{before}.{name}" if before else name
            kind = above[-1].kind or (leaf(row.path) if row.path in self.summands else "")
            above.append(Branch(name, path, self.at(row.total), row, kind))
            if above[-1].total:
                above[-2].inside.append(above[-1])
        return root

    @cached_property
    def summands(self) -> set[str]:
        """The paths of the components of the sum."""
        return {term.path for term in self.terms}


@dataclass
class Branch:
    """A component: its name, what it is called in a link, its number, and what lies in it.

    ``row`` is its line of the tree, and ``kind`` the name of the component of the sum that it lies
    in; the whole has neither.
    """

    name: str
    path: str
    total: int
    row: TreeRow | None = None
    kind: str = ""
    inside: list[Branch] = field(default_factory=list)

    @property
    def parts(self) -> list[Branch]:
        """What lies in it, the largest first."""
        return sorted(self.inside, key=lambda one: -one.total)

    @property
    def is_unit(self) -> bool:
        """Whether all that lies in it is tensors."""
        return bool(self.inside) and not any(one.inside for one in self.inside)

    def below(self) -> Iterator[Branch]:
        """Yield it, and all that lies in it."""
        yield self
        for part in self.inside:
            yield from part.below()

    def way(self, path: str) -> list[Branch]:
        """Return what leads to a component, from this one to it; this one where there is none."""
        for part in self.inside:
            if path == part.path or path.startswith(f"{part.path}."):
                return [self, *part.way(path)]
        return [self]

    def largest_kind(self) -> str:
        """Return its kind, or that of the largest part of it that has one."""
        found = (part.largest_kind() for part in self.parts)
        return self.kind or next(filter(None, found), "")

    def first_apart(self) -> Branch:
        """Return it, or the first below that consists of several."""
        return self.inside[0].first_apart() if len(self.inside) == 1 else self


def label(row: TreeRow) -> str:
    """Return the last name of a path, of the layers of a stack how many there are."""
    return (
        f"{text(expression(row.times))} ×" if leaf(row.path) == LAYER else legible(leaf(row.path))
    )
