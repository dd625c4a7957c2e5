"""The cases of the families, by their parts: what the proofs go through."""

from paramproof.algebra.symbols import symbols, with_head_size
from paramproof.formulas import FAMILIES
from paramproof.proof.cases import cases, supported_cases
from tests.weight_lists import Lists

CASES = {name: supported_cases(Lists(), family, {}) for name, family in FAMILIES.items()}
"""Of each family, the fullest first."""


def case_of(family, parts):
    """The case whose parts are these, as ``"pooler + mlm"``; the most general of several."""
    return next(case for case in CASES[family] if str(case) == parts)


def letters_of(family):
    """A family's letters as symbols, its indicators too, with H = A·K."""
    return with_head_size(symbols(FAMILIES[family].letters))


def every_case(family):
    """Those that differ in no part, too."""
    return list(cases(FAMILIES[family]))
