"""Deliberately wrong models, as real PyTorch code: the report on each, and what a proof says."""

from dataclasses import replace

import pytest

from paramproof import check
from paramproof.algebra.residual import explained, lines
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import framework
from paramproof.formulas import inventory
from paramproof.verify.proof import read, residuals
from tests.cases import case_of
from tests.faults.in_frameworks import Faulty
from tests.specs import LIVE_ENCODER

pytestmark = pytest.mark.framework("torch")

OTHERS = {"num_attention_heads": 4, "intermediate_size": 17}
SPEC = replace(LIVE_ENCODER, **OTHERS, max_position_embeddings=9, type_vocab_size=5)
ENCODER = case_of("encoder", "pooler")
LETTERS = ENCODER.letters


FAULTS = """intermediate bias dropped | key bias dropped | pooler forgotten | norms doubled
norms of a layer shared | two positions more | a gate for each head | first layer frozen
norm renamed"""


@pytest.mark.parametrize("fault", FAULTS.replace("\n", " | ").split(" | "))
def test_the_report_and_a_derivation_find_the_same_difference(fault, snapshot):
    wrong = Faulty(framework("torch"), fault)
    report = explained(check(wrong, SPEC), FamilyArchitecture.of(SPEC))
    assert report.splitlines()[1:] == snapshot
    total, *_ = lines(residuals(read(wrong, ENCODER).tensors, LETTERS), inventory(LETTERS))
    assert total == report.splitlines()[-1]
