"""Where a number comes from: the shortest accounts of it, over one model or all named ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from builders.explain.account import Account, recount
from builders.explain.grammar import LEAST, accounts, coarse_accounts, components
from builders.explain.number import Number, Reading
from builders.explain.sizes import at_known_sizes, at_unnamed_sizes
from builders.explain.tree import Tree
from builders.explain.wording import words
from formulas import inventory
from formulas.conventions import TABLES
from formulas.spec import Spec

Models = Mapping[str, Spec]


@dataclass(frozen=True, slots=True)
class Found:
    """An account with what it comes to, and the models of which it is one.

    ``reading`` says how the number was rounded, empty where it was not.
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
    """The accounts of a number, shortest first; ``nearest`` only where there is none.

    An account at a size that no named model has counts as none.
    """

    number: Number
    found: tuple[Found, ...]
    nearest: Found | None = None


def explain(number: Number, models: Models, others: Models | None = None) -> Explanation:
    """Every account of ``number`` in ``models``; in ``others`` only where they have none."""
    found: list[Found] = []
    for chosen in (models, others or {}):
        if number.exact is not None:
            found = exact(number.exact, chosen)
        if not found:
            found = rounded(number.readings, chosen, few=len(models) > 1 or chosen is others)
        if found:
            return Explanation(number, tuple(found))
    if number.exact is None:
        return Explanation(number, (), nearest(int(number.readings[0].middle), models))
    found = [
        _found(account, name, spec, number.exact)
        for name, spec in models.items()
        for account in at_unnamed_sizes(spec, number.exact)
    ]
    return Explanation(number, tuple(_joined(found)), nearest(number.exact, models))


def exact(number: int, models: Models) -> list[Found]:
    """The accounts of ``number`` above those that rest on a size no named model has."""
    found = []
    for name, spec in models.items():
        of_model = [
            account
            for count, account in candidates(spec)
            if count == number and allowed(account, number)
        ]
        found += list(_different(sorted(of_model, key=_rank), name, spec, number))
    return _joined(found)


def candidates(spec: Spec) -> Iterator[tuple[int, Account]]:
    """Every account of a model that an exact number may have, with what it comes to."""
    yield from accounts(spec)
    yield from at_known_sizes(spec)


def allowed(account: Account, number: int) -> bool:
    """Whether an account as long as this one is worth giving of so small a number."""
    return number >= LEAST[account.length]


def rounded(readings: tuple[Reading, ...], models: Models, few: bool) -> list[Found]:
    """The counts that were rounded to the number: of whole models, and of one's components."""
    found = []
    for rank, reading in enumerate(readings):
        for name, spec in models.items():
            tree = Tree(inventory(spec.letters()))
            known = [pair for pair in coarse_accounts(tree) if len(pair[1].parts) == 1]
            for count, account in known if few else [*known, *components(tree)]:
                if count in reading:
                    longer = account._replace(length=account.length + rank)
                    found.append(_found(longer, name, spec, count, reading.says))
    return _joined(found)


def nearest(number: int, models: Models) -> Found:
    """The component, or whole model under a convention, whose count is nearest."""
    closest: tuple[int, int, Account, str] | None = None
    for name, spec in models.items():
        tree = Tree(inventory(spec.letters()))
        for count, account in [*components(tree), *coarse_accounts(tree)]:
            key = (abs(count - number), account.length)
            if len(account.parts) == 1 and (closest is None or key < closest[:2]):
                closest = (*key, account, name)
    assert closest is not None, "a model has components"
    *_, account, name = closest
    count, _ = recount(account, models[name])
    return Found(account, count, (name,), models[name])


def _found(account: Account, name: str, spec: Spec, number: int, reading: str = "") -> Found:
    """The account, recounted: whatever found it is not believed."""
    count, _ = recount(account, spec)
    assert count == number, f"{name}: {account} comes to {count}, not {number}"
    return Found(account, count, (name,), spec, reading)


def _different(
    sorted_accounts: list[Account], name: str, spec: Spec, number: int
) -> Iterator[Found]:
    """Of the accounts that count the same tensors, the shortest."""
    seen = set()
    for account in sorted_accounts:
        count, tensors = recount(account, spec)
        assert count == number, f"{name}: {account} comes to {count}, not {number}"
        key = (tensors, account.sizes, account.plain)
        if key not in seen:
            seen.add(key)
            yield Found(account, count, (name,), spec)


def _rank(account: Account) -> tuple[int, int]:
    """The shorter first; of those as long, the one that leaves out no table: few forget one."""
    left_out = (part.component for part in account.parts if part.times < 0)
    return account.length, sum(level in TABLES for path in left_out for level in path.split("."))


def _joined(found: list[Found]) -> list[Found]:
    """One for all models of which the account is the same in words and count, by rank."""
    groups: dict[tuple[str, int, str], list[Found]] = {}
    for one in sorted(found, key=lambda one: _rank(one.account)):
        groups.setdefault((one.text, one.count, one.reading), []).append(one)
    return [
        Found(
            first.account,
            first.count,
            tuple(name for o in own for name in o.models),
            first.spec,
            first.reading,
        )
        for own in groups.values()
        for first in own[:1]
    ]
