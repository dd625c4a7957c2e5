"""What fools the interpolation, and which other evidence, if any, catches it."""

import pytest

from paramproof import check
from paramproof.formulas import FAMILIES, EncoderSpec, Weight
from paramproof.formulas.models import named_models
from paramproof.formulas.notation import text
from paramproof.proof.builder_tensors import read as derive
from paramproof.proof.findings import residuals
from paramproof.proof.interpolation import Grids, interpolate
from tests.cases import case_of
from tests.strategies import random_specs
from tests.weight_lists import Lists, added, extra

ENCODER = FAMILIES["encoder"]
NODES = {"F": (7, 12, 26), "V": (13, 42, 128)}


def recover(builder, fixed=None):
    return interpolate(Grids(builder, ENCODER, fixed or {}))


def is_proved(builder):
    found = recover(builder)
    return found.residual == 0 and not found.alarms


def is_derived(builder):
    """Return whether every derived tensor agrees with the formula, at every size."""
    case = case_of("encoder", "pooler")
    try:
        reading = derive(builder, case)
    except ValueError:
        return False
    return residuals(reading.tensors, case.symbols({})) == [] and not reading.branches


def examples(builder):
    return all(check(builder, spec).equal for spec in random_specs(builder, 50, 0))


def anchors(builder):
    specs = [named.spec for named in named_models().values()]
    return all(check(builder, spec).equal for spec in specs if isinstance(spec, EncoderSpec))


EVIDENCE = {
    "interpolation": is_proved,
    "derivation": is_derived,
    "examples": examples,
    "anchors": anchors,
}


def zero_on_every_node(spec):
    size = 1
    for vocab_size in NODES["V"]:
        size *= abs(spec.vocab_size - vocab_size)
    return extra("term", size)


def part_that_is_zero_on_the_parts_grid(spec):
    if spec.pooler and spec.mlm_head:
        return None
    size = (spec.intermediate_size - NODES["F"][0]) * (spec.vocab_size - NODES["V"][0])
    return extra("term", abs(size))


def branch_on_size(spec):
    return extra("adapter", spec.hidden_size) if spec.vocab_size > 25000 else None


def buffer_listed(spec):
    return extra("position_ids", spec.max_position_embeddings, trainable=False)


def nothing(spec):
    """A buffer that the builder does not list, as torch's file lists none."""


def cancelling(weights, spec):
    """A query bias is missing, and each layer has another tensor of the same size."""
    kept = [w for w in weights if not w.path.endswith("query.bias")]
    layers = range(spec.num_hidden_layers)
    return [*kept, *(extra(f"layers.{index}.gain", spec.hidden_size) for index in layers)]


def padded(weights, spec):
    """The vocabulary is silently rounded up to a multiple of 8."""
    table, *rest = weights
    rows = -(-spec.vocab_size // 8) * 8
    return [Weight(table.path, (rows, spec.hidden_size), True, table.parts), *rest]


def halved(weights, spec):
    """A bias of F // 2: a floor, in one tensor outside the layers."""
    return [*weights, extra("half", spec.intermediate_size // 2)]


FOOLERS = {
    zero_on_every_node: (added(zero_on_every_node), {"derivation", "examples", "anchors"}),
    part_that_is_zero_on_the_parts_grid: (
        added(part_that_is_zero_on_the_parts_grid),
        {"derivation", "examples", "anchors"},
    ),
    branch_on_size: (added(branch_on_size), {"derivation", "anchors"}),
    cancelling: (Lists(cancelling), {"derivation", "examples", "anchors"}),
    buffer_listed: (added(buffer_listed), {"derivation", "examples", "anchors"}),
    nothing: (added(nothing), set()),
    padded: (Lists(padded), {"interpolation", "derivation", "examples", "anchors"}),
    halved: (Lists(halved), {"interpolation", "derivation", "examples", "anchors"}),
}


@pytest.mark.parametrize("fooler", FOOLERS, ids=lambda fooler: fooler.__name__)
def test_the_evidence_that_catches_each_fooler(fooler):
    builder, catching = FOOLERS[fooler]
    assert {name for name, holds in EVIDENCE.items() if not holds(builder)} == catching


@pytest.mark.parametrize("fooler", [padded, halved], ids=lambda fooler: fooler.__name__)
def test_floors_and_padding_are_noticed(fooler):
    builder, _ = FOOLERS[fooler]
    found = recover(builder)
    assert found.residual != 0
    assert all("a coefficient is not an integer" in alarm for alarm in found.alarms)
    assert found.alarms


def test_a_degree_beyond_the_border_is_found_and_misread():
    """It is not a monomial of the grid, so the residual is wrong, but not 0."""
    found = recover(added(lambda spec: extra("cube", spec.vocab_size**3)))
    assert found.residual != 0
    assert text(found.residual) != "V³"


def test_a_degree_in_the_border_is_named():
    found = recover(added(lambda spec: extra("square", spec.vocab_size**2)))
    assert text(found.residual) == "V²"


def test_too_few_sizes_are_named():
    """A letter that a builder cannot vary must be declared, since it cannot be recovered."""
    builder = Lists(refuses=lambda spec: spec.vocab_size not in (13, 42, 97))
    with pytest.raises(
        ValueError, match=r"too few sizes can be expressed to vary vocab_size: \[13, 42\]"
    ):
        recover(builder)
    with pytest.raises(ValueError, match="refused"):
        recover(Lists(refuses=lambda spec: True))


def test_a_fixed_size_is_a_number():
    builder = Lists(refuses=lambda spec: spec.type_vocab_size != 2 or not spec.num_hidden_layers)
    found = recover(builder, {"type_vocab_size": 2})
    assert found.residual == 0
    assert found.known == {"type_vocab_size": 2}
    assert "T" not in found.recovered.letters
