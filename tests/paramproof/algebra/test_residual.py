"""The residual of a report on one model: in letters if they fit, otherwise as a number."""

from dataclasses import replace

import pytest

from paramproof import check
from paramproof.algebra.residual import (
    Known,
    Residual,
    explained,
    lines,
    report_residuals,
    with_residual,
)
from paramproof.algebra.symbols import FamilyArchitecture, sizes_of
from paramproof.formulas import FAMILIES, EncoderSpec, Weight, inventory
from paramproof.formulas.expression import expression
from paramproof.proof.findings import components_of_size
from tests.cases import letters_of
from tests.specs import SPECS
from tests.weight_lists import Lists, added, extra

SPEC = EncoderSpec(
    vocab_size=31,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=17,
    max_position_embeddings=9,
    type_vocab_size=5,
)


def residual(builder, spec=SPEC):
    """Return the residual of the whole, in a list."""
    return residuals(builder, spec)[:1]


def residuals(builder, spec=SPEC):
    """Return the residual of the whole, and that of each group of rows if there are several."""
    return [*with_residual(check(builder, spec), FamilyArchitecture.of(spec)).residual]


def without(*names, layers=""):
    def change(weights, spec):
        gone = [f"{layers}{name}" for name in names]
        return [w for w in weights if not any(name in w.path for name in gone)]

    return Lists(change)


def test_equal():
    text = explained(check(Lists(), SPEC), FamilyArchitecture.of(SPEC))
    assert text.endswith("every tensor is as the formula says")


def test_a_whole_component():
    assert residual(without("attention_layer_norm")) == [
        "actual − formula = −2·L·H   attention_layer_norm"
    ]
    assert residual(without("pooler")) == ["actual − formula = −H² − H   pooler"]


def test_several_components():
    """All biases of the feed-forward network, which do not form a component."""
    assert residuals(without("intermediate.bias", "feed_forward.output.bias")) == [
        "actual − formula = −L·(H + F)",
        "−L·F",
        "−L·H",
    ]


def test_one_layer_is_named():
    assert residual(without("feed_forward.output.bias", layers="layers.1.")) == [
        "actual − formula = −H   layers.1.feed_forward.output.bias"
    ]


def test_a_component_that_is_not_in_the_spec():
    def with_pooler(weights, spec):
        return [*weights, Weight("p", (12, 12), True, ("pooler.kernel",))]

    bare = replace(SPEC, pooler=False)
    assert residual(Lists(with_pooler), bare) == ["actual − formula = H²   pooler.kernel"]


def test_a_component_of_another_size_is_not_named_in_letters():
    """The tensor called pooler.kernel is not (H, H), so its residual is not H²."""

    def with_pooler(weights, spec):
        return [*weights, Weight("p", (12, 13), True, ("pooler.kernel",))]

    bare = replace(SPEC, pooler=False)
    assert residual(Lists(with_pooler), bare) == ["actual − formula = 13·H   pooler.kernel"]


def test_an_unnamed_tensor_has_no_letters():
    assert residual(added(lambda spec: extra("table", 31, 12))) == [
        "actual − formula = V·H   table"
    ]
    assert residual(added(lambda spec: extra("odd", 11))) == ["actual − formula = 11   odd"]


def test_a_residual_without_fitting_letters_is_a_number():
    """Two axes are wrong at once: nothing shows which letters have changed."""

    def change(weights, spec):
        return [replace(w, shape=(10, 13)) if "position" in w.path else w for w in weights]

    assert residual(Lists(change)) == [
        "actual − formula = 22   embeddings.position_embeddings.weight"
    ]


@pytest.mark.parametrize("gone", ["bias", "layer_norm", "kernel", "embeddings", "layers.1"])
def test_terms_add_up(gone):
    report = check(without(gone), SPEC)
    residuals = report_residuals(report, Known.of(FamilyArchitecture.of(SPEC)))
    sizes = {"L": 2, "A": 4, "K": 3, "F": 17, "V": 31, "P": 9, "T": 5}
    assert sum(one.size.evaluate(sizes) for one in residuals) == report.difference


def family_residual(family, *names):
    return residual(without(*names), SPECS[family])


def test_residual_of_a_gpt():
    assert family_residual("gpt", "final_layer_norm") == [
        "actual − formula = −2·H   final_layer_norm"
    ]
    assert family_residual("gpt", "intermediate.bias") == [
        "actual − formula = −L·F   feed_forward.intermediate.bias"
    ]


def test_residual_of_a_llama():
    """H, A, G and K are separate letters: A·K is not folded into H."""
    assert family_residual("llama", "attention.query") == [
        "actual − formula = −L·H·A·K   attention.query.kernel"
    ]
    assert family_residual("llama", "attention.value") == [
        "actual − formula = −L·H·G·K   attention.value.kernel"
    ]
    assert family_residual("llama", "layers.1.feed_forward.gate") == [
        "actual − formula = −H·F   layers.1.feed_forward.gate.kernel"
    ]
    biased = added(lambda spec: extra("bias", 24))
    assert residual(biased, SPECS["llama"]) == ["actual − formula = A·K   bias"]


def test_residual_of_two_stacks():
    assert family_residual("encoder-decoder", "cross_attention_layer_norm") == [
        "actual − formula = −2·M·H   decoder.layers.*.cross_attention_layer_norm"
    ]
    both = residuals(without("intermediate.bias"), SPECS["encoder-decoder"])
    assert both == [
        "actual − formula = −N·F − M·F",
        "−M·F",
        "−N·F",
    ]
    assert family_residual("encoder-decoder", "decoder.layers.3.feed_forward.output.bias") == [
        "actual − formula = −H   decoder.layers.3.feed_forward.output.bias"
    ]


def test_trained_positions_that_should_be_fixed():
    """A trainable table of positions where the formula has sinusoids."""

    def trained(weights, spec):
        return [replace(w, trainable=True) for w in weights]

    assert residual(Lists(trained), SPECS["encoder-decoder"])[0] == "actual − formula = 2·P·H"


@pytest.mark.parametrize("gone", ["bias", "norm", "kernel", "embeddings", "layers.1"])
def test_terms_of_every_family_add_up(family, gone):
    spec = SPECS[family]
    report = check(without(gone), spec)
    sizes = sizes_of(spec)
    residuals = report_residuals(report, Known.of(FamilyArchitecture.of(spec)))
    assert sum(one.size.evaluate(sizes) for one in residuals) == report.difference


def test_components_of_size():
    letters, encoder = letters_of("encoder"), FAMILIES["encoder"]
    biases = ["feed_forward.intermediate.bias"]
    assert components_of_size(-letters.L * letters.F, encoder) == biases
    assert components_of_size(letters.V * letters.H, encoder) == [
        "embeddings.word_embeddings",
        "embeddings.word_embeddings.weight",
    ]
    assert components_of_size(letters.F, encoder) == []


def test_components_of_size_in_two_stacks():
    letters, family = letters_of("encoder-decoder"), FAMILIES["encoder-decoder"]
    biases = ["encoder.layers.*.feed_forward.intermediate.bias"]
    assert components_of_size(letters.N * letters.F, family) == biases


def test_many_lines_are_cut_after_twenty():
    differing = [Residual(f"w{n}x", "unexpected", expression(n)) for n in range(100, 2100)]
    first, *shown, last = lines(differing, inventory(SPEC.letters()))
    assert first == f"actual − formula = {sum(range(100, 2100))}"
    assert len(shown) == 20
    assert last == f"  {sum(range(120, 2100))}   and 1,980 more"


def test_foreign_names_are_printable_and_their_braces_not_expanded():
    name = "\x1b[2J" + ".".join(["{a,b}"] * 60)
    (line,) = residual(Lists(lambda weights, spec: [*weights, extra(name, 7)]))
    assert line.startswith(r"actual − formula = 7   \x1b[2J{a,b}.{a,b}.")
    assert len(line) < 120


def test_a_shape_with_many_axes_is_a_number():
    (line,) = residual(Lists(lambda weights, spec: [*weights, extra("w", *[1] * 10**5)]))
    assert line == "actual − formula = 1   w"
