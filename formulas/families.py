"""The families of models: which spec goes with which letters and which two derivations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from paramproof.formulas import encoder, encoder_decoder, gpt, llama
from paramproof.formulas.lookup import no_such
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible
from paramproof.formulas.spec import (
    EncoderDecoderLetters,
    EncoderDecoderSpec,
    EncoderLetters,
    EncoderSpec,
    FamilyLetters,
    GPTLetters,
    GPTSpec,
    LlamaLetters,
    LlamaSpec,
    Quantity,
    Spec,
)
from paramproof.formulas.tensors import Inventory


@dataclass(frozen=True, slots=True)
class Family:
    """A family: its name, its spec, its letters, and what is derived from them, twice."""

    name: str
    spec: type[Spec]
    letters: type[FamilyLetters]
    inventory: Callable[[Any], Inventory]
    closed_form: Callable[[Any], Quantity]


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("encoder", EncoderSpec, EncoderLetters, encoder.inventory, encoder.closed_form),
        Family(
            "encoder-decoder",
            EncoderDecoderSpec,
            EncoderDecoderLetters,
            encoder_decoder.inventory,
            encoder_decoder.closed_form,
        ),
        Family("gpt", GPTSpec, GPTLetters, gpt.inventory, gpt.closed_form),
        Family("llama", LlamaSpec, LlamaLetters, llama.inventory, llama.closed_form),
    )
}
"""By name."""


def inventory(letters: FamilyLetters) -> Inventory:
    """Return every tensor of the model that ``letters`` describe, of the family of their type.

    Raises ``TypeError`` for anything but letters.
    """
    return family_of(letters).inventory(letters)


def closed_form(letters: FamilyLetters) -> Quantity:
    """Return the trainable parameters of the model that ``letters`` describe, as one polynomial.

    Raises ``TypeError`` for anything but letters.
    """
    return family_of(letters).closed_form(letters)


def family_of(described: Spec | FamilyLetters) -> Family:
    """Return the family of a spec or of letters. Raises ``TypeError`` for anything else."""
    for family in FAMILIES.values():
        if isinstance(described, family.spec | family.letters):
            return family
    raise TypeError(f"no family has {described!r}: give it spec.letters()")


def spec_fields(spec: Spec) -> dict[str, Any]:
    """Return ``spec`` as a dict of scalars, its family first: what ``spec_from`` reads."""
    return {"family": family_of(spec).name, **asdict(spec)}


def spec_from(fields: Mapping[str, Any]) -> Spec:
    """Return the spec with these fields, of the family under ``family``, or else an encoder.

    Raises ``ValueError``, in one line, for an unknown family, a field too many or too few,
    and a spec that is not possible.
    """
    rest = dict(fields)
    name = rest.pop("family", "encoder")
    if not isinstance(name, str) or name not in FAMILIES:
        raise no_such("family", name, FAMILIES)
    try:
        return FAMILIES[name].spec(**rest)
    except TypeError as error:
        known = ", ".join(FAMILIES[name].spec.__dataclass_fields__)
        problem = str(error).partition("__init__() ")[2]
        raise ValueError(
            f"the spec {legible(problem, MAX_NOTE_SHOWN)}; its fields are {known}"
        ) from error
