"""The families of models: those of this package, and those of plug-ins.

Another distribution registers a ``Family`` under the entry point group ``paramproof.families``.
Importing this module loads none of these, nor does asking ``FAMILIES`` for a family of this
package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache
from itertools import chain, product
from typing import Any

from paramproof.formulas import spec
from paramproof.formulas import terms as ours
from paramproof.formulas.errors import InvalidInput, load_plugins, look_up
from paramproof.formulas.expression import add_letters
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shown
from paramproof.formulas.spec import FamilyLetters, Quantity, Spec, draw, letter_kinds
from paramproof.formulas.tensors import Inventory

ENTRY_POINTS = "paramproof.families"


@dataclass(frozen=True, slots=True)
class Family:
    """All that this project knows of a family of models.

    ``spec`` has the family's name, its sizes with their ranges, and its numerics. ``letters``
    annotates each letter with its kind, which decides how it is printed. ``inventory`` and
    ``closed_form`` count the parameters independently: as named tensors, and as one polynomial.
    Another distribution registers a family under the entry point group ``paramproof.families``.

    Raises ``ValueError``, in one line, if spec and letters do not fit each other.
    """

    spec: type[Spec]
    letters: type[FamilyLetters]
    inventory: Callable[[Any], Inventory]
    closed_form: Callable[[Any], Quantity]

    @property
    def name(self) -> str:
        return self.spec.family

    def __post_init__(self) -> None:
        """Require what some command would otherwise miss only when it is half done."""
        try:
            if not is_dataclass(self.spec) or "hidden_size" not in self.field_names:
                raise ValueError("its spec must be a dataclass with the field hidden_size")
            for name, kind in letter_kinds(self.letters).items():
                if not kind:
                    one_of = "Indicator, Layers, Rows or Width"
                    raise ValueError(f"its letter {name} has no kind: annotate it as {one_of}")
            for end in (min, max):
                letters = draw(self.spec, lambda _, *range_, end=end: end(range_), {}).letters()
                if type(letters) is not self.letters:
                    name = self.letters.__name__
                    raise ValueError(f"its letters are not of type {name}: {letters!r}")
        except Exception as error:  # A plug-in's code may raise anything.
            raise ValueError(f"the family of {self.spec.__name__}: {error}") from error

    @property
    def field_names(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self.spec))


OURS = (
    Family(spec.EncoderSpec, spec.EncoderLetters, ours.encoder_inventory, ours.encoder_closed_form),
    Family(
        spec.EncoderDecoderSpec,
        spec.EncoderDecoderLetters,
        ours.encoder_decoder_inventory,
        ours.encoder_decoder_closed_form,
    ),
    Family(spec.GPTSpec, spec.GPTLetters, ours.gpt_inventory, ours.gpt_closed_form),
    Family(spec.LlamaSpec, spec.LlamaLetters, ours.llama_inventory, ours.llama_closed_form),
)
"""The families of this package, in the order of every table."""


class _Families(Mapping[str, Family]):
    def __getitem__(self, name: str) -> Family:
        own = next((family for family in OURS if family.name == name), None)
        return own or registered()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(registered())

    def __len__(self) -> int:
        return len(registered())


FAMILIES: Mapping[str, Family] = _Families()  # All families by name.


@cache
def registered() -> dict[str, Family]:
    """Return all families by name: those of this package, then plug-ins sorted by entry point.

    A plug-in is left out, and noted as broken, if it cannot be imported, is not a family, has the
    name of another family, or has a letter that is of another kind in a family of this package.
    """
    found = {family.name: family for family in OURS}

    def add(entry: Any) -> None:
        family = entry.load()
        if not isinstance(family, Family):
            raise ValueError(f"it is not a Family, but of type {type(family).__name__}")
        if family.name in found:
            raise ValueError(f"a family named {shown(family.name)} exists already")
        kinds = letter_kinds(family.letters)
        for (name, kind), (owner, other) in product(kinds.items(), found.items()):
            if (known := letter_kinds(other.letters).get(name, kind)) != kind:
                raise ValueError(
                    f"the letter {name} of {family.name} is {kind}, but {known} in {owner}: "
                    "a letter must have the same kind in all families"
                )
        add_letters(kinds)
        found[family.name] = family

    load_plugins(ENTRY_POINTS, add)
    return found


def family_named(name: object) -> Family:
    return look_up("family", name, FAMILIES, ENTRY_POINTS)


def inventory(letters: FamilyLetters) -> Inventory:
    """Return every tensor of the model with these ``letters``, whose type selects the family."""
    return family_of(letters).inventory(letters)


def closed_form(letters: FamilyLetters) -> Quantity:
    """Return the trainable parameters of the model with these ``letters``, as one polynomial."""
    return family_of(letters).closed_form(letters)


def family_of(described: Spec | FamilyLetters) -> Family:
    """Return the family of a spec or of letters. Raises ``InvalidInput`` for anything else."""
    for family in chain(OURS, FAMILIES.values()):  # Plug-ins are loaded only if none of ours fits.
        if isinstance(described, (family.spec, family.letters)):
            return family
    raise InvalidInput(f"{shown(described)} belongs to no family; pass spec.letters()")


def spec_fields(own: Spec) -> dict[str, Any]:
    return {"family": own.family, **asdict(own)}


def spec_from(data: Mapping[str, Any]) -> Spec:
    """Return the spec with the fields in ``data``, whose family is an encoder by default."""
    given = dict(data)
    family = family_named(given.pop("family", "encoder"))
    kind: Any = family.spec
    required = {f.name: f.default is f.default_factory is MISSING for f in fields(kind) if f.init}
    unknown = [name for name in given if name not in required]
    missing = [name for name in required if required[name] and name not in given]
    if unknown or missing:
        problem = f"needs {', '.join(missing)}"
        if unknown:
            problem = f"does not have the field {legible(repr(unknown[0]), MAX_NOTE_SHOWN)}"
        known = ", ".join(family.field_names)
        raise InvalidInput(f"a spec of the family {family.name} {problem}; its fields are {known}")
    made: Spec = kind(**given)
    return made
