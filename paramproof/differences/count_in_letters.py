"""Express the difference of a native count and the formula in symbols.

Two models give two differences. If a short sum of named quantities equals both, it is taken as
their meaning: at the sizes of real models no two short sums agree on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from paramproof.formulas import EncoderSpec, closed_form, inventory

MULTIPLES = (1, -1, 2)
MAX_TERMS = 3


def count_in_letters(
    numbers: Sequence[int], specs: Sequence[EncoderSpec], tensors: Sequence[int]
) -> str:
    """Return ``numbers`` minus the formula of ``specs`` in symbols: ``0``, ``+ V·H + V``.

    N is the formula itself, and ``tensors`` the number of stored arrays. The result is the
    shortest sum of at most three terms that is right for all models. Raises ``ValueError`` if there
    is none. A number that is the same for all models is returned as a number.
    """
    formulas = [closed_form(spec.letters()) for spec in specs]
    if len(set(numbers)) == 1:
        return f"{numbers[0]:,}, whatever the model"
    differences = [number - n for number, n in zip(numbers, formulas, strict=True)]
    if not any(differences):
        return "0"
    named = _quantities(specs, tensors)
    for count in range(1, MAX_TERMS + 1):
        for terms in combinations(named, count):
            for multiples in product(MULTIPLES, repeat=count):
                values = zip(*(named[term] for term in terms), strict=True)
                sums = [sum(m * v for m, v in zip(multiples, row, strict=True)) for row in values]
                if sums == differences:
                    return " ".join(_signed(*pair) for pair in zip(multiples, terms, strict=True))
    raise ValueError(f"differences {differences} from {formulas} have no meaning in letters")


def _quantities(specs: Sequence[EncoderSpec], tensors: Sequence[int]) -> dict[str, list[int]]:
    letters = [spec.letters() for spec in specs]
    inventories = [inventory(own) for own in letters]
    parts = ("pooler", "mlm_head", "nsp_head")
    return {
        "N": [closed_form(own) for own in letters],
        "V·H": [own.V * own.H for own in letters],
        "V": [own.V for own in letters],
        **{part: [named.total(part) for named in inventories] for part in parts},
        "(V + P + T)·H": [(own.V + own.P + own.T) * own.H for own in letters],
        "tensors": list(tensors),
        "1": [1] * len(letters),
    }


def _signed(multiple: int, term: str) -> str:
    sign, times = "−" if multiple < 0 else "+", abs(multiple)
    if term == "1":
        return f"{sign} {times}"
    return f"{sign} {term}" if times == 1 else f"{sign} {times}·{term}"
