"""What may come of comparing the catalogue's count of a configuration with a library's model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from sweep.library.keys import Keys


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


WRONG = (Verdict.REFUSED, Verdict.OTHER)


class Judgement(NamedTuple):
    """A configuration with its verdict; why it is not counted, or what is wrong with its count."""

    config: Keys
    verdict: Verdict
    problem: ValueError | str = ""

    @property
    def key(self) -> str:
        """The key for which the configuration is refused; "" if no single one is to blame."""
        return getattr(self.problem, "key", "")

    def __str__(self) -> str:
        """Return all in one line, with the whole configuration if it was counted."""
        length = 400 if self.verdict is Verdict.NOT_COUNTED else None
        return f"{self.config['model_type']}: {self.problem}; {json.dumps(self.config)[:length]}"


def printed(
    judgements: Iterable[Judgement],
    library: str = "transformers",
    shown: Collection[Verdict] = WRONG,
) -> Iterator[Judgement]:
    """Yield judgements, and print those with some verdicts."""
    for one in judgements:
        if one.verdict in shown:
            print(f"{one.verdict.text(library)}: {one}", flush=True)
        yield one


def print_totals(
    judgements: Iterable[Judgement],
    library: str = "transformers",
    start: str = "",
    shown: Collection[Verdict] = WRONG,
) -> int:
    """Print some, and how many have each verdict; return 1 if a count is wrong, or else 0."""
    found = Counter(one.verdict for one in printed(judgements, library, shown))
    # These build a model only if there is a count.
    every = (one for one in Verdict if one is not Verdict.NOT_BUILT)
    print(start + ", ".join(f"{found[one]} {one.text(library)}" for one in every), flush=True)
    return 1 if found[Verdict.OTHER] else 0
