"""Read the document that ``derive --json`` wrote, as the derivation that it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import shown
from paramproof.json_form import VERSION

KIND = "derivation"

UNREADABLE = "is not a derivation in the form of this release: derive the model again"


def is_derivation(keys: Mapping[str, Any]) -> bool:
    """Return whether JSON is the document of a derivation, and not a configuration."""
    return keys.get("kind") == KIND and "paramproof" in keys


def derivation_in_document(document: Mapping[str, Any]) -> Derivation:
    """Return the derivation in a document.

    Raises ``InvalidInput`` if the document has another version, or if it does not say what its
    tensors and conditions say: its form is older, or it was changed.
    """
    if document["paramproof"] != VERSION:
        version = shown(document["paramproof"])
        raise InvalidInput(f"has the JSON form {version}, and this release reads {VERSION}")
    try:
        found = derivation_from(document)
        if not all(_values(found)):
            raise InvalidInput(UNREADABLE)
        again = derivation_data(found)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(UNREADABLE) from error
    wrong = [key for key, value in again.items() if document.get(key) != value]
    if wrong:
        raise InvalidInput(f"{UNREADABLE} (its tensors do not give what {wrong[0]} says)")
    return found


def _values(found: Derivation) -> Iterator[bool]:
    """Yield for each value that is printed or computed with whether it has the right type."""
    numbers = [*found.sizes.values(), found.evidence.traces, found.evidence.builds, found.held]
    yield from (type(number) is int for number in numbers)
    texts = [found.name, *found.fields.values(), *found.versions, *found.versions.values()]
    texts += [
        *found.unexplained,
        *found.caveats,
        *(one.consequence.why for one in found.conditions),
    ]
    texts += [alias for tensor in found.tensors for alias in tensor.aliases]
    texts += [file for stated in found.conditions for file, _ in stated.places]
    yield from (isinstance(text, str) for text in texts)
    yield {*found.fields} == {*found.sizes} >= {*found.inert, *found.unread}
