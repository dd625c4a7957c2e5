"""The parameters of a user's function: a spec, its letters, or letters and fields by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible


@dataclass(frozen=True, slots=True)
class ModelValues:
    """The values of one model that a formula may take: ints, or symbols for its sizes.

    ``letters`` are the family's letters, if the model belongs to a family.
    """

    spec: Any
    by_letter: Mapping[str, Any]
    by_field: Mapping[str, Any]
    letters: Any = None

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """Return the values of ``spec``."""
        letters = spec.letters()
        fields = {name: getattr(spec, name) for name in family_of(spec).field_names}
        return cls(spec, letters._asdict(), fields, letters)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function; ``text`` shows them as written.

    ``takes_one`` means that one argument is enough, whatever its name; ``annotation`` has the words
    of that parameter's annotation, such as the name of a class.
    """

    text: str
    names: frozenset[str]
    required: frozenset[str]
    takes_any: bool
    by_name: bool
    takes_one: bool
    annotation: frozenset[str]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Return the parameters of ``function``.

        Raises ``TypeError`` or ``ValueError`` if Python cannot read its signature.
        """
        every = list(inspect.signature(function).parameters.values())
        stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        required = [p for p in every if p.default is p.empty and p.kind not in stars]
        takes_one = len(required) == 1 and required[0].kind is not inspect.Parameter.KEYWORD_ONLY
        return cls(
            text=legible(", ".join(map(str, every)) or "nothing", MAX_NOTE_SHOWN),
            names=frozenset(p.name for p in every if p.kind not in stars),
            required=frozenset(p.name for p in required),
            takes_any=any(p.kind is p.VAR_KEYWORD for p in every),
            by_name=all(p.kind is not p.POSITIONAL_ONLY for p in required),
            takes_one=takes_one,
            annotation=_words(required[0].annotation) if takes_one else frozenset(),
        )

    def names_among(self, letters: Iterable[str], fields: Iterable[str]) -> tuple[str, ...]:
        """Return the letters and fields to pass by name; none if the function needs others too."""
        letters, fields = tuple(letters), tuple(fields)
        if not self.by_name or not self.required <= {*letters, *fields}:
            return ()
        own = [name for name in letters if self.takes_any or name in self.names]
        own += [name for name in fields if name in self.names]
        return tuple(dict.fromkeys(own))

    def arguments(self, values: ModelValues) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and the named arguments of a call with ``values``."""
        if type(values.letters).__name__ in self.annotation:
            return (values.letters,), {}
        names = () if self._annotated() else self.names_among(values.by_letter, values.by_field)
        known = {**values.by_field, **values.by_letter}
        return ((), {name: known[name] for name in names}) if names else ((values.spec,), {})

    def families(self) -> tuple[str, ...]:
        """Return the names of the families whose class, letters or fields the function takes.

        A single parameter without a known annotation, such as ``spec``, fits every family.
        """
        by_name = [
            name
            for name, family in FAMILIES.items()
            if self.names_among(family.letters._fields, family.field_names)
        ]
        return tuple(self._annotated() or by_name or (FAMILIES if self.takes_one else ()))

    def _annotated(self) -> list[str]:
        """Return the families whose spec or letters the annotation names."""
        return [name for name, family in FAMILIES.items() if self.annotation & _class_names(family)]


def _class_names(family: Family) -> set[str]:
    return {family.spec.__name__, family.letters.__name__}


def _words(annotation: Any) -> frozenset[str]:
    """Return the names in an annotation, which may be a class, a string, or a union."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return frozenset(re.findall(r"\w+", text))
