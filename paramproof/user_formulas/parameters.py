"""What a function of the user's can be called with: a spec, letters, or some of either by name."""

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
class Given:
    """What a formula may be given of one model: ints, or symbols for its sizes.

    ``letters`` are a family's, where the model has one.
    """

    spec: Any
    by_letter: Mapping[str, Any]
    by_field: Mapping[str, Any]
    letters: Any = None

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """Return what ``spec`` says."""
        letters = spec.letters()
        fields = {name: getattr(spec, name) for name in family_of(spec).field_names}
        return cls(spec, letters._asdict(), fields, letters)


@dataclass(frozen=True, slots=True)
class Parameters:
    """A function's parameters. ``text`` is how they are written.

    ``alone`` is whether one argument will do, whatever its name; ``said`` the words of its
    annotation, the name of a class among them.
    """

    text: str
    names: frozenset[str]
    required: frozenset[str]
    takes_any: bool
    by_name: bool
    alone: bool
    said: frozenset[str]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Return those of ``function``.

        Raises ``TypeError`` or ``ValueError`` where Python does not know them.
        """
        every = list(inspect.signature(function).parameters.values())
        stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        required = [one for one in every if one.default is one.empty and one.kind not in stars]
        alone = len(required) == 1 and required[0].kind is not inspect.Parameter.KEYWORD_ONLY
        return cls(
            text=legible(", ".join(map(str, every)) or "nothing", MAX_NOTE_SHOWN),
            names=frozenset(one.name for one in every if one.kind not in stars),
            required=frozenset(one.name for one in required),
            takes_any=any(one.kind is one.VAR_KEYWORD for one in every),
            by_name=all(one.kind is not one.POSITIONAL_ONLY for one in required),
            alone=alone,
            said=_words(required[0].annotation) if alone else frozenset(),
        )

    def asked(self, letters: Iterable[str], fields: Iterable[str]) -> tuple[str, ...]:
        """Return which of these it asks for by name; none where it asks for others too."""
        letters, fields = tuple(letters), tuple(fields)
        if not self.by_name or not self.required <= {*letters, *fields}:
            return ()
        own = [name for name in letters if self.takes_any or name in self.names]
        own += [name for name in fields if name in self.names]
        return tuple(dict.fromkeys(own))

    def arguments(self, given: Given) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what the function is called with, by position and by name."""
        if type(given.letters).__name__ in self.said:
            return (given.letters,), {}
        asked = () if self._classes() else self.asked(given.by_letter, given.by_field)
        known = {**given.by_field, **given.by_letter}
        return ((), {name: known[name] for name in asked}) if asked else ((given.spec,), {})

    def families(self) -> tuple[str, ...]:
        """Return the families that it may be about, by name: their classes, letters or fields.

        Of one argument that says nothing, as ``spec``, these are all.
        """
        by_name = [n for n, f in FAMILIES.items() if self.asked(f.letters._fields, f.field_names)]
        return tuple(self._classes() or by_name or (FAMILIES if self.alone else ()))

    def _classes(self) -> list[str]:
        """The families whose spec or letters its annotation names."""
        return [name for name, family in FAMILIES.items() if self.said & _class_names(family)]


def _class_names(family: Family) -> set[str]:
    return {family.spec.__name__, family.letters.__name__}


def _words(annotation: Any) -> frozenset[str]:
    """The names in an annotation, which may be a class, a text, or several with ``|``."""
    said = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return frozenset(re.findall(r"\w+", said))
