"""Conventions: what a number of parameters may silently include or leave out.

A convention is a function from an inventory to the inventory that it counts, so conventions
compose by being called one after the other, and ``size`` sums what is left. Those of STORAGE
say what counts as a parameter at all, and exactly one of them belongs to every count; those
of PARTS leave components out. None of them looks at a letter: ints, NumPy arrays and SymPy
symbols go through alike.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeAlias

from paramproof.formulas.lookup import no_such
from paramproof.formulas.parts import PartName, parts_of
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
    "norm": "of a norm",
    "pooler": "of the pooler",
    "head": "of a head",
    "layer": "in a layer",
}


class Undecided(ValueError):
    """A convention asks of a tensor what its name does not say."""


def size(inventory: Inventory) -> Quantity:
    """Return the entries of all tensors, each as often as it is listed: L times in a layer."""
    total: Quantity = 0
    for tensor in inventory:
        total = total + tensor.present * tensor.repeat * tensor.size
    return total


def trainable(inventory: Inventory) -> Inventory:
    """Trainable tensors, tied storage counted once."""
    return kept(inventory, lambda tensor: tensor.trainable and tensor.tied_to is None)


def total(inventory: Inventory) -> Inventory:
    """All tensors, fixed ones (sinusoids) included, tied storage counted once."""
    return kept(inventory, lambda tensor: tensor.tied_to is None)


def tied_each(inventory: Inventory) -> Inventory:
    """Trainable tensors, tied storage counted once per name."""
    return _with_names(kept(inventory, lambda tensor: tensor.trainable))


def listed(inventory: Inventory) -> Inventory:
    """Everything: fixed tensors included, tied storage counted once per name."""
    return _with_names(inventory)


def without_embeddings(inventory: Inventory) -> Inventory:
    """Excludes token, position and type embeddings; keeps the norm of the embeddings."""
    return kept(inventory, lambda tensor: not belongs("table", tensor))


def without_positions(inventory: Inventory) -> Inventory:
    """Excludes position embeddings."""
    return kept(inventory, lambda tensor: not belongs("position", tensor))


def without_biases(inventory: Inventory) -> Inventory:
    """Excludes biases of projections; keeps those of norms."""
    return kept(inventory, lambda tensor: not belongs("bias", tensor))


def without_norms(inventory: Inventory) -> Inventory:
    """Excludes norms."""
    return kept(inventory, lambda tensor: not belongs("norm", tensor))


def weights_only(inventory: Inventory) -> Inventory:
    """Only matrices and embedding tables: excludes biases and norms."""
    return without_biases(without_norms(inventory))


def without_pooler(inventory: Inventory) -> Inventory:
    """Excludes the pooler."""
    return kept(inventory, lambda tensor: not belongs("pooler", tensor))


def without_heads(inventory: Inventory) -> Inventory:
    """Excludes the heads on top of the encoder or decoder; keeps the pooler."""
    return kept(inventory, lambda tensor: not belongs("head", tensor))


def layers_only(inventory: Inventory) -> Inventory:
    """Only the layers."""
    return kept(inventory, lambda tensor: belongs("layer", tensor))


def embeddings_only(inventory: Inventory) -> Inventory:
    """Only the token, position and type embeddings."""
    return kept(inventory, lambda tensor: belongs("table", tensor))


def norms_only(inventory: Inventory) -> Inventory:
    """Only the norms."""
    return kept(inventory, lambda tensor: belongs("norm", tensor))


def biases_only(inventory: Inventory) -> Inventory:
    """Only the biases of projections."""
    return kept(inventory, lambda tensor: belongs("bias", tensor))


STORAGE: dict[str, Convention] = {
    "trainable": trainable,
    "total": total,
    "tied-each": tied_each,
    "listed": listed,
}
"""By name: what counts as a parameter."""

PARTS: dict[str, Convention] = {
    "without-embeddings": without_embeddings,
    "without-positions": without_positions,
    "without-biases": without_biases,
    "without-norms": without_norms,
    "weights-only": weights_only,
    "without-pooler": without_pooler,
    "without-heads": without_heads,
    "layers-only": layers_only,
    "embeddings-only": embeddings_only,
    "norms-only": norms_only,
    "biases-only": biases_only,
}
"""By name: which components are counted."""

CONVENTIONS = STORAGE | PARTS
"""Every convention that an inventory can be counted under, by name."""


def counted(inventory: Inventory, *names: str) -> Inventory:
    """Return what the conventions of these names count of ``inventory``, in any order.

    Raises ``ValueError`` for an unknown name, and where not exactly one is of STORAGE: what
    counts as a parameter is never left open. Raises ``Undecided`` where a convention cannot be
    decided for some tensor of a derived formula.
    """
    unknown = [name for name in names if name not in CONVENTIONS]
    if unknown:
        raise no_such("convention", unknown[0], CONVENTIONS)
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
    """Return ``number`` in 10⁶ (MILLION) or 2²⁰ (MEBI), half rounded up: 109.48, 104.41."""
    step = Decimal(1).scaleb(-places)
    return f"{(Decimal(number) / unit).quantize(step, ROUND_HALF_UP):,}"


def as_named(number: int, digits: int = 2) -> str:
    """Return ``number`` rounded to significant digits, as in names of models: 110M, 6.7B.

    Half is rounded up. Below a thousand it is the number itself.
    """
    lead = max(len(str(number)) - digits, 0)
    rounded = (number + 10**lead // 2) // 10**lead * 10**lead
    for unit, power in (("T", 12), ("B", 9), ("M", 6), ("K", 3)):
        if rounded >= 10**power:
            whole = len(str(rounded)) - power
            places = max(digits - whole, 0)
            return f"{Decimal(rounded).scaleb(-power):.{places}f}{unit}"
    return str(rounded)


def kept(inventory: Inventory, keeps: Callable[[Tensor], bool]) -> Inventory:
    """Return the tensors of ``inventory`` that ``keeps`` is true of."""
    return Inventory(inventory.letters, tuple(filter(keeps, inventory)))


def belongs(part: PartName, tensor: Tensor) -> bool:
    """Return whether a tensor belongs to a part.

    Raises ``Undecided`` where its name does not say.
    """
    said = getattr(tensor.parts or parts_of(tensor.path), part)
    if said is None:
        what = PARTS_IN_WORDS[part]
        raise Undecided(f"{legible(tensor.path)} may be {what}, or not: its name does not say")
    return bool(said)


def _with_names(inventory: Inventory) -> Inventory:
    """Return ``inventory``. Raises ``Undecided`` where it has a name that stands for several."""
    for tensor in inventory:
        if not tensor.is_one_name:
            path = legible(tensor.path)
            raise Undecided(f"how many names {path} stands for is not known, all of one storage")
    return inventory
