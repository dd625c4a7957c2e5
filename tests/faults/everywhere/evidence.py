"""The kinds of evidence that every framework is asked for, with few models of each kind.

As in ``tests.faults.evidence``, a kind raises ``AssertionError`` for a difference.
"""

from __future__ import annotations

from collections.abc import Callable

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.checking.model import check
from paramproof.formulas import EncoderSpec, Numerics, closed_form
from paramproof.proof.findings import residuals
from paramproof.proof.parts import Parts, encoder_letters, known_sizes
from paramproof.proof.symbolic import POINTS, Unreadable, read
from tests.faults.evidence import assert_equal, count
from tests.parity.cases import Case, own_epsilon
from tests.parity.differences import built, output_differences
from tests.selection import settle

EVERY_HEAD = Parts(pooler=1, mlm=1, nsp=1)
SHALLOW = [{**point, "L": layers} for point, layers in zip(POINTS, (2, 3, 5), strict=True)]
"""Layers are what takes time to build; any two numbers of them tell L from a constant."""

SPEC = EncoderSpec(
    vocab_size=11,
    hidden_size=6,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=5,
    max_position_embeddings=7,
    type_vocab_size=2,
    mlm_head=True,
    nsp_head=True,
)
"""With every head, as every framework has it."""


def examples(framework: Framework, builder: Builder) -> None:
    """Every tensor."""
    assert_equal(builder, SPEC)


def totals(framework: Framework, builder: Builder) -> None:
    """The trainable total."""
    assert count(builder, SPEC) == closed_form(SPEC.letters())


def symbolic(framework: Framework, builder: Builder) -> None:
    """The symbolic shape of every tensor."""
    known = known_sizes(framework.fixed)
    letters = encoder_letters(EVERY_HEAD, known)
    try:
        terms = residuals(read(builder, EVERY_HEAD, known, SHALLOW), letters)
    except Unreadable as unreadable:
        raise AssertionError(str(unreadable)) from unreadable
    assert not terms, terms


def parity(framework: Framework, builder: Builder) -> None:
    """The outputs, in float64; of a model that takes the weights, which the others refuse."""
    if not check(builder, SPEC).equal:
        return
    eps = own_epsilon(settle(framework.name)) or Numerics().layer_norm_eps
    case = Case(SPEC, Numerics(layer_norm_eps=eps), "float64")
    for difference in output_differences(built(builder, case), case, framework.name):
        assert difference.explained, difference


EVIDENCE: dict[str, Callable[[Framework, Builder], None]] = {
    "examples": examples,
    "totals": totals,
    "symbolic": symbolic,
    "parity": parity,
}
