"""The cases of each family, by their parts: what the proofs iterate over."""

from paramproof.algebra.symbols import symbols, with_head_size
from paramproof.formulas import FAMILIES
from paramproof.verify.cases import cases, supported_cases
from tests.weight_lists import Lists

CASES = {name: supported_cases(Lists(), family, {}) for name, family in FAMILIES.items()}
"""For each family, the cases with most parts first."""


def case_of(family, parts):
    return next(case for case in CASES[family] if str(case) == parts)


def letters_of(family):
    return with_head_size(symbols(FAMILIES[family].letters))


def every_case(family):
    return list(cases(FAMILIES[family]))
