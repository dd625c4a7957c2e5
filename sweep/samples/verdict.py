"""What may come of comparing the catalogue's count of a configuration with a library's model."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """The result for one configuration; without a count, some do not try if it is built."""

    NOT_COUNTED = "not counted"
    EQUAL = "equal to {}"
    REFUSED = "counted, but refused by {}"
    OTHER = "counted, but built differently"
    NOT_BUILT = "neither counted nor built"

    def text(self, library: str = "transformers") -> str:
        """Return the result in words, with the name of the library that builds the model."""
        return self.value.format(library)


JUDGED = (Verdict.NOT_COUNTED, Verdict.EQUAL, Verdict.REFUSED, Verdict.OTHER)
"""The results of those that build a model only if there is a count."""
