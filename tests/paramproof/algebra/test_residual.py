"""The residual of a report on one model: in letters if they fit, otherwise as a number."""

from dataclasses import replace

import pytest

from docs.writers.blocks import PAGES
from paramproof import check
from paramproof.algebra.residual import Residual, explained, lines, report_residuals, with_residual
from paramproof.algebra.symbols import FamilyArchitecture, sizes_of
from paramproof.formulas import EncoderSpec, Report, Row, Weight, compare, inventory, terms
from paramproof.formulas.errors import FormulaError
from paramproof.formulas.expression import expression
from paramproof.formulas.families import family_of
from paramproof.verify.agreement import require_agreement
from tests.derivations import H, V, tensor, with_tensors
from tests.planted import plant
from tests.specs import SPECS
from tests.weight_lists import Lists, extra, listed

SIZES = {"vocab_size": 31, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4}
SIZES |= {"intermediate_size": 17, "max_position_embeddings": 9, "type_vocab_size": 5}
SPEC = EncoderSpec(**SIZES)
BARE = replace(SPEC, pooler=False)
FIRST = "actual − formula = "


def residuals(builder, spec=SPEC):
    return [*with_residual(check(builder, spec), FamilyArchitecture.of(spec)).residual]


def without(*names):
    return Lists(lambda weights, _: [w for w in weights if not any(n in w.path for n in names)])


def test_equal():
    text = explained(check(Lists(), SPEC), FamilyArchitecture.of(SPEC))
    assert text.endswith("every tensor is as the formula says")


PARTS = {
    "attention_layer_norm": ["−2·L·H   attention_layer_norm", "−L·H", "−L·H"],
    "pooler": ["−H² − H   pooler", "−H²", "−H"],
    # Biases of the feed-forward network, which do not form a component.
    "intermediate.bias feed_forward.output.bias": ["−L·(H + F)", "−L·F", "−L·H"],
    "layers.1.feed_forward.output.bias": ["−H   layers.1.feed_forward.output.bias"],
    "gpt: final_layer_norm": ["−2·H   final_layer_norm", "−H", "−H"],
    "gpt: intermediate.bias": ["−L·F   feed_forward.intermediate.bias"],
    # H, A, G and K are separate letters: A·K is not folded into H.
    "llama: attention.query": ["−L·H·A·K   attention.query.kernel"],
    "llama: attention.value": ["−L·H·G·K   attention.value.kernel"],
    "llama: layers.1.feed_forward.gate": ["−H·F   layers.1.feed_forward.gate.kernel"],
    "encoder-decoder: cross_attention_layer_norm": [
        "−2·M·H   decoder.layers.*.cross_attention_layer_norm",
        "−M·H",
        "−M·H",
    ],
    "encoder-decoder: intermediate.bias": ["−N·F − M·F", "−M·F", "−N·F"],
    "encoder-decoder: decoder.layers.3.feed_forward.output.bias": [
        "−H   decoder.layers.3.feed_forward.output.bias"
    ],
}


@pytest.mark.parametrize("gone", PARTS)
def test_what_is_missing(gone):
    family, _, names = gone.rpartition(": ")
    first, *others = residuals(without(*names.split()), SPECS[family] if family else SPEC)
    assert [first.removeprefix(FIRST), *others] == PARTS[gone]


def test_the_page_of_a_changed_formula(monkeypatch):
    """A bias that no framework builds is added to one derivation."""
    llama = family_of(SPECS["llama"])
    sizes = dict.fromkeys(llama.field_names, 1) | {"hidden_size": 2, "head_dim": 2}
    spec = llama.spec(**sizes | {"tie_word_embeddings": True})
    built, page = listed(spec), PAGES["change-a-formula"].read_text("utf-8")
    bias = 'return original(*args) + within("gate", linear(*args, GATED)[1:])'
    plant(monkeypatch, terms, "gated_feed_forward", bias)
    with pytest.raises(FormulaError) as raised:
        require_agreement(["llama"])
    report = explained(compare(inventory(spec.letters()), built), FamilyArchitecture.of(spec))
    assert all(line in page for line in (f"paramproof: {raised.value}", *report.splitlines()[1:]))


NOT_LETTERS = "\x1b[2J" + ".".join(["{a,b}"] * 60)


@pytest.mark.parametrize(
    ("weight", "spec", "said"),
    [
        (Weight("p", (12, 12), True, ("pooler.kernel",)), BARE, "H²   pooler.kernel"),
        # The tensor called pooler.kernel is not (H, H), so its residual is not H².
        (Weight("p", (12, 13), True, ("pooler.kernel",)), BARE, "13·H   pooler.kernel"),
        (extra("table", 31, 12), SPEC, "V·H   table"),
        (extra("odd", 11), SPEC, "11   odd"),
        # The one part that is present has an indicator, which is 1, too, and no size.
        (extra("one", 1), SPEC, "1   one"),
        (extra("fused", 36, 12), SPEC, "3·H²   fused"),
        (extra("bias", 24), SPECS["llama"], "A·K   bias"),
        (extra("w", *[1] * 10**5), SPEC, "1   w"),
        (extra(NOT_LETTERS, 7), SPEC, r"7   \x1b[2J{a,b}.{a,b}."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_too_much(weight, spec, said):
    (line,) = residuals(Lists(lambda weights, _: [*weights, weight]), spec)
    assert line.startswith(FIRST + said)
    assert len(line) < 120


def test_a_table_of_positions_of_another_shape_and_one_that_should_be_fixed():
    """If two axes are wrong at once, nothing shows which letters have changed: it is a number."""

    def change(weights, spec):
        return [replace(w, shape=(10, 13)) if "position" in w.path else w for w in weights]

    assert residuals(Lists(change)) == [f"{FIRST}22   embeddings.position_embeddings.weight"]
    trained = Lists(lambda weights, _: [replace(w, trainable=True) for w in weights])
    assert residuals(trained, SPECS["encoder-decoder"])[0] == f"{FIRST}2·P·H"


def test_of_tensors_with_one_path_the_one_of_the_same_shape_is_meant():
    """As in Swin, whose stages differ in width."""
    stages = with_tensors(*(tensor("stages.*.w", rows, H) for rows in (H, V)), conditions=())
    row = Row("missing", "stages.1.w", (50, 8), None, None, -400)
    found = with_residual(Report(464, 64, (row,)), stages)
    assert found.residual == (f"{FIRST}−V·H   stages.1.w",)


@pytest.mark.parametrize("gone", ["bias", "norm", "kernel", "embeddings", "layers.1"])
def test_terms_of_every_family_add_up(family, gone):
    spec = SPECS[family]
    report = check(without(gone), spec)
    found, _ = report_residuals(report, FamilyArchitecture.of(spec))
    assert sum(one.size.evaluate(sizes_of(spec)) for one in found) == report.difference


def test_many_lines_are_cut_after_twenty():
    differing = [Residual(f"w{n}x", "unexpected", expression(n)) for n in range(100, 2100)]
    first, *shown, last = lines(differing, inventory(SPEC.letters()))
    assert first == f"actual − formula = {sum(range(100, 2100))}"
    assert len(shown) == 20
    assert last == f"  {sum(range(120, 2100))}   and 1,980 more"
