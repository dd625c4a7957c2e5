"""Conventions: what a number of parameters includes, and what it leaves out.

A convention is a function from an inventory to the inventory that it counts. Conventions compose:
apply one after the other, and ``size`` sums the rest. Those in STORAGE say what counts as a
parameter at all, and every count uses exactly one of them; those in PARTS leave components out.
No convention looks at the value of a letter, so ints, NumPy arrays and symbols all work.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeAlias

from paramproof.formulas.errors import no_such
from paramproof.formulas.parts import PartName, parts_of
from paramproof.formulas.path import LAYER
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity
from paramproof.formulas.tensors import Inventory, Tensor

Convention: TypeAlias = Callable[[Inventory], Inventory]

MILLION = 10**6
MEBI = 2**20

PARTS_IN_WORDS: dict[PartName, str] = {
    "table": "an embedding of tokens, positions or types",
    "position": "an embedding of positions",
    "bias": "a bias of a projection",
    "norm": "part of a norm",
    "pooler": "part of the pooler",
    "head": "part of a head",
    "layer": "in a layer",
}


class Undecided(ValueError):
    """A convention depends on a property of a tensor that its name does not tell."""


def size(inventory: Inventory) -> Quantity:
    return sum(tensor.present * tensor.repeat * tensor.size for tensor in inventory)


def trainable(inventory: Inventory) -> Inventory:
    """Trainable tensors, tied storage counted once."""
    return kept(inventory, lambda tensor: tensor.trainable and tensor.tied_to is None)


def total(inventory: Inventory) -> Inventory:
    """All tensors, including frozen ones (sinusoids), tied storage counted once."""
    return kept(inventory, lambda tensor: tensor.tied_to is None)


def tied_each(inventory: Inventory) -> Inventory:
    """Trainable tensors, tied storage counted once per name."""
    return listed(kept(inventory, lambda tensor: tensor.trainable))


def listed(inventory: Inventory) -> Inventory:
    """All tensors, including frozen ones, tied storage counted once per name."""
    for tensor in inventory:
        if tensor.parts and tensor.tied_to:
            numbers = {path.split(".").count(LAYER) for path in (tensor.path, tensor.tied_to)}
            if len(numbers) > 1 or tensor.path == tensor.tied_to:
                path = legible(tensor.path)
                raise Undecided(f"{path} is one storage with an unknown number of names")
    return inventory


STORAGE: dict[str, Convention] = {
    "trainable": trainable,
    "total": total,
    "tied-each": tied_each,
    "listed": listed,
}
"""The conventions that say what counts as a parameter, by name."""


def _selects(meaning: str, *parts: PartName, keeps: bool = False) -> Convention:
    def convention(inventory: Inventory) -> Inventory:
        return kept(inventory, lambda one: any(belongs(part, one) for part in parts) == keeps)

    convention.__doc__ = meaning
    return convention


PARTS: dict[str, Convention] = {
    "without-embeddings": _selects(
        "Excludes token, position and type embeddings; keeps their norm, and relative biases.",
        "table",
    ),
    "without-positions": _selects("Excludes position embeddings.", "position"),
    "without-biases": _selects("Excludes biases of projections; keeps those of norms.", "bias"),
    "without-norms": _selects("Excludes norms.", "norm"),
    "weights-only": _selects(
        "Only matrices and embedding tables: excludes biases and norms.", "norm", "bias"
    ),
    "without-pooler": _selects("Excludes the pooler.", "pooler"),
    "without-heads": _selects(
        "Excludes the heads on top of the encoder or decoder; keeps the pooler.", "head"
    ),
    "layers-only": _selects("Only the layers.", "layer", keeps=True),
    "embeddings-only": _selects(
        "Only the token, position and type embeddings, without biases of relative positions.",
        "table",
        keeps=True,
    ),
    "norms-only": _selects("Only the norms.", "norm", keeps=True),
    "biases-only": _selects("Only the biases of projections.", "bias", keeps=True),
}
"""The conventions that select components, by name. Commands print their docstrings."""

CONVENTIONS = STORAGE | PARTS
"""All conventions, by name."""


def counted(inventory: Inventory, *names: str) -> Inventory:
    """Return the tensors of ``inventory`` that all conventions of these names count.

    The order of the names does not matter. Raises ``ValueError`` for an unknown name, and unless
    exactly one is in STORAGE, so that every count says what a parameter is. Raises ``Undecided``
    if a convention cannot be decided for some tensor of a derived formula.
    """
    for name in names:
        if name not in CONVENTIONS:
            raise no_such("convention", name, CONVENTIONS)
    if sum(name in STORAGE for name in names) != 1:
        raise ValueError(f"a count takes exactly one of {', '.join(STORAGE)}: {names!r}")
    for name in names:
        try:
            inventory = CONVENTIONS[name](inventory)
        except Undecided as error:
            raise Undecided(f"{name} cannot be decided: {error}") from None
    return inventory


def count(inventory: Inventory, *names: str) -> Quantity:
    """Return the number of parameters of ``inventory`` under the conventions of these names.

    ``count(inventory, "trainable")`` is ``inventory.total()``. Raises as ``counted`` does.
    """
    return size(counted(inventory, *names))


def in_units(number: int, unit: int = MILLION, places: int = 2) -> str:
    """Return ``number`` in units of 10⁶ (MILLION) or 2²⁰ (MEBI), half rounded up: "109.48"."""
    step = Decimal(1).scaleb(-places)
    return f"{(Decimal(number) / unit).quantize(step, ROUND_HALF_UP):,}"


def as_named(number: int, digits: int = 2) -> str:
    """Return ``number`` rounded to significant digits, half up, as in names: 110M, 6.7B, 999."""
    lead = max(len(str(number)) - digits, 0)
    rounded = (number + 10**lead // 2) // 10**lead * 10**lead
    for unit, power in (("T", 12), ("B", 9), ("M", 6), ("K", 3)):
        if rounded >= 10**power:
            whole = len(str(rounded)) - power
            places = max(digits - whole, 0)
            return f"{Decimal(rounded).scaleb(-power):.{places}f}{unit}"
    return str(rounded)


def kept(inventory: Inventory, keeps: Callable[[Tensor], bool]) -> Inventory:
    return Inventory(inventory.letters, tuple(filter(keeps, inventory)))


def belongs(part: PartName, tensor: Tensor) -> bool:
    """Return whether a tensor is in a part. Raises ``Undecided`` if its name does not say."""
    is_in_part = getattr(tensor.parts or parts_of(tensor.path), part)
    if is_in_part is None:
        what = PARTS_IN_WORDS[part]
        raise Undecided(f"{legible(tensor.path)} may or may not be {what}: its name does not say")
    return bool(is_in_part)
