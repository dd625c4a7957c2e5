"""The errors that users can meet, with what is wrong in fields: where, which key, which name.

Each prints as one line of bounded length, in which foreign text is escaped.
"""

from __future__ import annotations

from enum import Enum, auto

from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text


class InvalidInput(ValueError):
    """Input that is wrong: a file that cannot be read, a key or size that is not possible.

    ``where`` is the file or source, ``key`` the key in it, each "" where there is none. ``reason``
    says what is wrong, and what would be right.
    """

    def __init__(self, reason: str, *, where: str = "", key: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where
        self.key = key

    def __str__(self) -> str:
        return _line(self.where, self.reason)


class UnknownName(InvalidInput):
    """A name that no model, dtype or other ``kind`` of thing has.

    ``suggestions`` are at most three names that are similar. ``listed_by`` is the command that
    lists all names, "" where there is none; the line ends with it, the ``reason`` does not.
    """

    def __init__(
        self,
        reason: str,
        name: str,
        kind: str,
        *,
        suggestions: tuple[str, ...] = (),
        listed_by: str = "",
        where: str = "",
        key: str = "",
    ) -> None:
        super().__init__(reason, where=where, key=key)
        self.args = (reason, name, kind)  # An error that is unpickled is made from its args.
        self.name = name
        self.kind = kind
        self.suggestions = suggestions
        self.listed_by = listed_by

    def __str__(self) -> str:
        if not self.listed_by:
            return super().__str__()
        between = "" if self.suggestions else ";"
        return f"{super().__str__()}{between} {legible(self.listed_by)!r} lists all names"


class Refusal(Enum):
    """Why the catalogue has no formula for a configuration."""

    NOT_TRIED = auto()
    """A key has a value of a sort that was not tried."""
    OTHER_VALUE = auto()
    """A key does not have the value that the entry was derived at."""
    OTHER_PART = auto()
    """A part is of another model type than the entry's part."""
    CONDITIONS = auto()
    """The sizes do not meet the conditions of the formula."""
    CONSTRUCTOR = auto()
    """The sizes do not meet a condition without which transformers refused to build the model."""
    OTHER = auto()


class NotInCatalogue(ValueError):
    """A configuration that may be right, but has no formula in the catalogue.

    ``key`` is the key whose value is not covered, "" where ``model_type`` itself is not.
    ``install`` is the command that installs what derives the formula, as ``install_command`` gives
    it; it is "" where installing something does not help. ``refusal`` says what kind of reason
    ``reason`` is.
    """

    def __init__(
        self,
        reason: str,
        *,
        model_type: str = "",
        key: str = "",
        install: str = "",
        where: str = "",
        refusal: Refusal = Refusal.OTHER,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.model_type = model_type
        self.key = key
        self.install = install
        self.refusal = refusal
        self.where = where

    def __str__(self) -> str:
        advice = f"; to derive it: {self.install}" if self.install else ""
        return _line(self.where, self.reason) + advice


def _line(where: str, reason: str) -> str:
    said = legible(reason, MAX_MESSAGE_SHOWN)
    return f"{path_text(where)}: {said}" if where else said
