"""What the catalogue has no entry for, as one line."""

from __future__ import annotations

from enum import Enum, auto

INSTALL = 'python -m pip install ".[transformers]"'
"""What derives on the spot whatever transformers can build."""


class Refusal(Enum):
    """Why there is no entry for a configuration."""

    NOT_TRIED = auto()
    """A key has a value of a sort that was not tried."""
    OTHER_VALUE = auto()
    """A key does not have the value that the entry was derived at."""
    OTHER_PART = auto()
    """A part is of another model type than the entry's part."""
    CONDITIONS = auto()
    """The sizes do not meet the conditions of the formula."""
    OTHER = auto()


class OutsideCatalogueError(ValueError):
    """A configuration that no entry was derived for.

    ``why`` names the key or the condition, and ``refusal`` says what sort of reason that is.
    """

    def __init__(self, why: str, refusal: Refusal = Refusal.OTHER) -> None:
        super().__init__(f"{why}; to derive it: {INSTALL}")
        self.why = why
        self.refusal = refusal
