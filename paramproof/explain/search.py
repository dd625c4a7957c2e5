"""Where a number comes from: the shortest accounts of it, over one model or all named ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paramproof.explain.explanation import Account, recount
from paramproof.explain.grammar import LEAST, accounts, components, whole_under
from paramproof.explain.number import Number, Reading
from paramproof.explain.sizes import at_known_sizes, at_unnamed_sizes
from paramproof.explain.tree import Tree
from paramproof.explain.words import words
from paramproof.formulas import inventory
from paramproof.formulas.conventions import TABLES
from paramproof.formulas.spec import Spec

Models = Mapping[str, Spec]


@dataclass(frozen=True, slots=True)
class Found:
    """An account with the number it comes to, and the models of which it is one.

    ``reading`` says how that number was rounded to the one in question, empty where it was
    not. ``spec`` is the first model's.
    """

    account: Account
    count: int
    models: tuple[str, ...]
    spec: Spec = field(repr=False)
    reading: str = ""

    @property
    def text(self) -> str:
        """The account in words."""
        return words(self.account)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The accounts of a number that were ``found``, shortest first.

    Where there is none: those that rest on an ``unnamed`` size, and the ``nearest`` count.
    ``none_in`` are the models asked about, where those found are of others.
    """

    number: Number
    found: tuple[Found, ...]
    unnamed: tuple[Found, ...] = ()
    nearest: Found | None = None
    none_in: tuple[str, ...] = ()


def explain(number: Number, models: Models, others: Models | None = None) -> Explanation:
    """The shortest accounts of ``number`` in ``models``; where they have none, in ``others``.

    Accounts one longer than the shortest are given too.
    """
    for chosen in filter(None, (models, others)):
        found = exact(number.exact, chosen) if number.exact else []
        found = found or rounded(number.readings, chosen, whole=chosen is others or len(models) > 1)
        if found:
            none_in = tuple(models) if chosen is others else ()
            return Explanation(number, tuple(found), none_in=none_in)
    if number.exact is None:
        middle = int(number.readings[0].middle)
        return Explanation(number, (), nearest=nearest(middle, models))
    solved = (
        _found(account, name, spec, number.exact)
        for name, spec in models.items()
        for account in at_unnamed_sizes(spec, number.exact)
    )
    return Explanation(number, (), tuple(_joined(solved)), nearest(number.exact, models))


def exact(number: int, models: Models) -> list[Found]:
    """The accounts of ``number`` at the models' own sizes, or at those of a named model."""
    found: list[Found] = []
    for name, spec in models.items():
        of_model = [
            account
            for count, account in candidates(spec, alone=len(models) == 1)
            if count == number
        ]
        found += _different(_found(account, name, spec, number) for account in of_model)
    return _shortest(_joined(found))


def candidates(spec: Spec, *, alone: bool = False) -> Iterator[tuple[int, Account]]:
    """Every account of a model that an exact number may have, with what it comes to."""
    for count, account in (*accounts(spec), *at_known_sizes(spec, alone=alone)):
        if count >= LEAST[account.length]:
            yield count, account


def rounded(readings: Sequence[Reading], models: Models, *, whole: bool) -> list[Found]:
    """The counts that were rounded to the number: of ``whole`` models, or components too."""
    found: dict[tuple[str, Account], Found] = {}
    for reading in readings:
        for name, spec in models.items():
            tree = Tree(inventory(spec.letters()))
            for count, account in [*components(tree), *whole_under(tree, most=2)]:
                if count in reading and not (whole and account.parts[0].component):
                    one = _found(account, name, spec, count, reading.says)
                    found.setdefault((name, account), one)
    return _shortest(_joined(found.values()), longer=0)


def nearest(number: int, models: Models) -> Found:
    """The component whose trainable parameters are nearest in number.

    Of several models only the whole is asked, for a number as large as some model.
    """
    counts = [
        (abs(count - number), count, name, account)
        for name, spec in models.items()
        for count, account in components(Tree(inventory(spec.letters())))
        if account.length == 1
    ]
    wholes = [known for known in counts if not known[-1].parts[0].component]
    if len(models) > 1 and number >= min(count for _, count, *_ in wholes):
        counts = wholes
    _, count, name, account = min(counts, key=lambda known: known[0])
    return _found(account, name, models[name], count)


def _found(account: Account, name: str, spec: Spec, number: int, reading: str = "") -> Found:
    """The account, recounted: what found it is not believed. Raises ``ArithmeticError``."""
    count, _ = recount(account, spec)
    if count != number:
        raise ArithmeticError(f"{name}: {account} comes to {count}, not {number}")
    return Found(account, count, (name,), spec, reading)


def _different(found: Iterable[Found]) -> Iterator[Found]:
    """Of the accounts of one model that count the same tensors, the shortest."""
    seen = set()
    for one in sorted(found, key=_rank):
        _, tensors = recount(one.account, one.spec)
        key = (tensors, one.account.sizes, one.account.plain)
        if key not in seen:
            seen.add(key)
            yield one


def _rank(found: Found) -> tuple[int, int]:
    """The shorter first; of those as long, the one that leaves out no table: few forget one."""
    return found.account.length, tables_left_out(found.account)


def tables_left_out(account: Account) -> int:
    """How many of the parts that ``account`` leaves out are tables."""
    left_out = (part.component for part in account.parts if part.times < 0)
    return sum(level in TABLES for path in left_out for level in path.split("."))


def _joined(found: Iterable[Found]) -> list[Found]:
    """By rank, with one for all models of which the account is the same in words and count."""
    groups: dict[tuple[str, int, str], list[Found]] = {}
    for one in sorted(found, key=_rank):
        groups.setdefault((one.text, one.count, one.reading), []).append(one)
    return [
        replace(own[0], models=tuple(name for one in own for name in one.models))
        for own in groups.values()
    ]


def _shortest(found: list[Found], longer: int = 1) -> list[Found]:
    """Those at most ``longer`` longer than the first."""
    return [one for one in found if one.account.length <= found[0].account.length + longer]
