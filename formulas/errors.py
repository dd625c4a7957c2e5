"""The errors that users can meet, with the source, the key or the name at fault as attributes.

Each prints as one line of bounded length, with foreign text escaped.
"""

from __future__ import annotations

from enum import Enum, auto

from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text, shown


class InvalidInput(ValueError):
    """Invalid input: a file that cannot be read, an impossible key or size.

    ``where`` is the file or source and ``key`` the key in it; each may be "". ``reason`` says what
    is wrong, and what would be right.
    """

    def __init__(self, reason: str, *, where: str = "", key: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where
        self.key = key

    def __str__(self) -> str:
        return _line(self.where, self.reason)


class FormulaError(ArithmeticError):
    """Raised if the inventory and the closed form disagree, before any framework builds a model."""


class ConfigWarning(UserWarning):
    """What was assumed of a configuration, or ignored in it."""


class UnknownName(InvalidInput):
    """An unknown name of a model, a dtype or another ``kind`` of thing.

    ``suggestions`` are at most three similar names. ``listed_by`` is the command that lists all
    names, or ""; it ends the printed line, but is not in ``reason``.
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
        self.args = (reason, name, kind)  # Unpickling creates the error from its args.
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
    """The value of a key is of a sort that was not tried."""
    OTHER_VALUE = auto()
    """The value of a key is not the one that the entry was derived at."""
    NO_SIZE = auto()
    """A size is null, which transformers refuses for most sizes, too."""
    OTHER_PART = auto()
    """The model type of a part differs from that in the entry."""
    CONDITIONS = auto()
    """The sizes violate a condition of the formula."""
    CONSTRUCTOR = auto()
    """The sizes violate a condition, and transformers refuses to build such a model."""
    OTHER = auto()


class NotInCatalogue(ValueError):
    """A config that may be valid, but has no formula in the catalogue.

    ``key`` is the key whose value is not covered, "" if ``model_type`` itself is not. ``install``
    is the command (of ``install_command``) that installs the packages for deriving the formula, ""
    if nothing can be derived. ``refusal`` classifies the ``reason``.
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
        how = "; to derive it from code, add --derive (derive=True in Python), which needs "
        advice = f"{how}transformers: {self.install}" if self.install else ""
        return _line(self.where, self.reason) + advice


def require_type(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Raise ``InvalidInput`` unless ``value``, called ``what``, is of a type. A bool is no int."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join(one.__name__.lower() for one in kinds)
        raise InvalidInput(f"{what} is {shown(value)}, which is not of the type {names}")


def _line(where: str, reason: str) -> str:
    said = legible(reason, MAX_MESSAGE_SHOWN)
    # A model type that was named by itself is the place and the subject of the reason.
    is_said = not where or said.startswith(f"{where}: ")
    return said if is_said else f"{path_text(where)}: {said}"
