"""A user's formula: its arguments, its results, its family, and how it is compared."""

from dataclasses import replace
from types import MappingProxyType

import pytest
import sympy

from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import Framework
from paramproof.child_process import Refused
from paramproof.formulas import FAMILIES, Report, Row, closed_form, inventory
from paramproof.formulas.models import named_models
from paramproof.resolver import resolve
from paramproof.verify.agreement import check
from paramproof.verify.results import Sample, assert_formula, results
from paramproof.verify.user_formula import (
    UserFormula,
    algebra,
    chosen_family,
    compare_counts,
    compared_at_sizes,
    fullest,
    with_parts_of,
)
from tests import family_formulas, user_formulas
from tests.configs import SMALL_MIXTRAL
from tests.specs import SMALL_ENCODER
from tests.weight_lists import Lists, added, extra

LISTS = Framework("lists", "lists", ("numpy",), fixed={"type_vocab_size": 2})
WHOLE = replace(SMALL_ENCODER, mlm_head=True, tie_word_embeddings=False, nsp_head=True)
SPEC = replace(WHOLE, mlm_head=False, tie_word_embeddings=True, nsp_head=False)
MODEL = FamilyArchitecture.of(SPEC)
REFUSED = """
    raises leaves returns_float returns_bool negative too_large too_large_component nothing empty
    unknown_component float_component takes_others takes_nothing
"""


def test_refused(snapshot):
    said = {}
    for name in REFUSED.split():
        with pytest.raises(Refused) as refusal:
            UserFormula(getattr(user_formulas, name)).counts(FamilyArchitecture.of(WHOLE))
        said[name] = str(refusal.value)
    assert said == snapshot


class Loud:
    def __repr__(self):
        return "\x1b[2J\n" + "x" * 10**6


def shout(spec):
    raise ValueError(repr(Loud()))


@pytest.mark.parametrize(
    "function", [lambda spec: Loud(), lambda spec: {repr(Loud()): 1}, shout], ids=range(3)
)
def test_a_formulas_error_is_printable(function, monkeypatch):
    monkeypatch.setattr(function, "__name__", "\x1b[2J")
    with pytest.raises(Refused) as refusal:
        UserFormula(function).counts(MODEL)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 2000


def test_counts_that_are_accepted():
    import numpy as np

    def total(function):
        return UserFormula(function).counts(FamilyArchitecture.of(WHOLE))["total"]

    assert total(lambda H: np.int64(H)) == 6
    assert total(lambda spec, factor=4: factor * spec.hidden_size) == 24
    assert total(lambda spec: 10**100) == 10**100
    assert UserFormula(lambda spec: MappingProxyType({"pooler": 1})).counts(MODEL)["pooler"] == 1
    named = inventory(SPEC.letters())
    counts = UserFormula(user_formulas.components).counts(MODEL)
    assert counts == {name: named.total(name) for name in counts}


@pytest.mark.parametrize("family", FAMILIES)
def test_called_with_every_letter(family):
    """A field with the name of a letter, as ``pooler``, is the letter: 1 and not True."""
    model = fullest(FAMILIES[family])
    letters, spec = model.sizes, model.spec
    assert {one for name, one in letters.items() if name.islower()} == {1}
    source = f"lambda {', '.join(letters)}: [{', '.join(letters)}]"
    passed = UserFormula(eval(source)).by_component(model)["total"]
    assert passed == [*letters.values()]
    assert {type(one) for one in passed} == {int}
    by_both = UserFormula(lambda H, hidden_size, vocab_size: H * hidden_size + vocab_size)
    assert by_both.counts(model) == {"total": spec.hidden_size**2 + spec.vocab_size}


@pytest.mark.parametrize(
    ("function", "families"),
    [
        (family_formulas.gpt2_rule_of_thumb, ["encoder", "gpt"]),
        (family_formulas.gpt2, ["encoder", "gpt"]),
        (family_formulas.llama, ["llama"]),
        (family_formulas.transformer, ["encoder-decoder"]),
        (family_formulas.any_spec, list(FAMILIES)),
        (user_formulas.exact, ["encoder"]),
        (user_formulas.from_spec, ["encoder"]),
        (lambda L, head_dim, N=1: head_dim, ["llama"]),
        (lambda spec, factor=4: factor, list(FAMILIES)),
        (lambda spec: spec.num_key_value_heads, ["llama"]),
        (lambda H, /: H.num_key_value_heads, ["llama"]),
    ],
)
def test_a_formula_counts_the_families_that_it_can_be_called_with(function, families):
    formula = UserFormula(function)
    if len(families) == 1:
        assert chosen_family(formula).name == families[0]
    else:
        with pytest.raises(Refused, match=f"^{formula.name} fits {', '.join(families)}: choose"):
            chosen_family(formula)
    for family in families:
        assert chosen_family(formula, [family]).name == family


def test_a_formula_that_counts_no_family():
    with pytest.raises(Refused, match="raised AttributeError"):
        chosen_family(UserFormula(user_formulas.raises))
    # The family for which it can be called is the one whose error is shown.
    with pytest.raises(Refused, match=r"raised ZeroDivisionError.* at LlamaSpec"):
        chosen_family(UserFormula(lambda G, K: G // 0 + K))
    with pytest.raises(Refused, match=r"takes G, K: .* letters of L H A F V P untied"):
        chosen_family(UserFormula(lambda G, K: G + K), ["gpt"])


def results_of(function, family, models=()):
    formula = UserFormula(function)
    about = chosen_family(formula, (family,))
    named = {name: named_models()[name].spec for name in models}
    sample = Sample(named, (about.name,), 20, 0)
    return list(results(LISTS, Lists(), sample, formula))


@pytest.mark.parametrize(
    ("function", "family", "models"),
    [
        (family_formulas.gpt2, "gpt", ["gpt2", "gpt3-175b"]),
        (family_formulas.llama, "llama", ["llama-7b", "llama-2-70b"]),
        (family_formulas.transformer, "encoder-decoder", ["transformer-base"]),
        (user_formulas.exact, "encoder", ["bert-base-uncased"]),
        (user_formulas.from_spec, "encoder", ["bert-base-uncased"]),
    ],
)
def test_right(function, family, models):
    found = results_of(function, family, models)
    assert [result.model for result in found] == [*models, *[""] * 20]
    assert {result.status for result in found} == {"equal"}


WRONG = {
    "gpt2_rule_of_thumb": ("gpt", 6, "L·(−8·H² + 2·H·F − 4·H + F) + V·H"),
    "gpt2_without_biases": ("gpt", 6, "4·H   layers.*.attention; H + F   layers.*.feed_forward"),
    "llama_with_a_key_for_each_query": ("llama", 12, "L·(−2·H·A·K + 2·H·G·K)"),
    "llama_of_divided_heads": ("llama", 8, "L·(2·H·A·K − 2·H·A·⌊H/A⌋ + 2·H·G·K − 2·H·G·⌊H/A⌋)"),
    "transformer_of_one_attention": ("encoder-decoder", 8, "4·H² + 2·H   decoder.layers.*"),
    "without_biases": ("encoder", 7, "L·(9·H + F) + 2·H"),
}
"""Formulas with the sum of the sizes in the smallest counterexample, and what explains it."""


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    """The counterexample is small in every size, and explained in letters."""
    family, least, algebra = WRONG[name]
    formulas = user_formulas if family == "encoder" else family_formulas
    *_, smallest = results_of(getattr(formulas, name), family)
    assert smallest.smallest
    assert sum(smallest.spec.letters()) <= least
    found = [line.partition(" = ")[2] for line in smallest.difference if "formula = " in line]
    assert "; ".join(found) == algebra


def compared(builder, **expected):
    """Return the rows that differ, by component, with ``expected`` added to our own counts."""
    ours = inventory(SPEC.letters())
    names = {name.replace("_in_", ".*."): more for name, more in expected.items()}
    counts = {n: ours.total("" if n == "total" else n) + more for n, more in names.items()}
    report = compare_counts(counts, MODEL, check(builder, SPEC))
    assert report.actual - report.formula == sum(
        row.difference * (SPEC.num_hidden_layers if ".*." in row.path else 1)
        for row in report.rows
        if row.path == "total" or "total" not in counts
    )
    return {row.path: row.difference for row in report.rows}


def drop(*paths):
    return Lists(lambda weights, spec: [w for w in weights if w.path not in paths])


def test_counts_of_components():
    width = SPEC.hidden_size
    right = {"total": 0, "layers": 0, "layers_in_attention": 0, "pooler": 0}
    assert compared(Lists(), **right) == {}
    assert compared(Lists(), pooler=3, layers_in_attention=5) == {
        "pooler": -3, "layers.*.attention": -5
    }  # fmt: skip
    last = "layers.1.attention.query.bias"
    assert compared(drop(last), **right) == {
        "total": -width, "layers": -width, "layers.*.attention": -width
    }  # fmt: skip
    everywhere = last, last.replace("1", "0")
    assert compared(drop(*everywhere), layers_in_attention=-width) == {}
    # A tensor that nobody knows counts in the total only.
    assert compared(added(lambda spec: extra("own", 7)), total=0, layers=0) == {"total": 7}


def test_without_layers_a_layer_cannot_be_compared():
    none = replace(SPEC, num_hidden_layers=0)
    counts = {"layers.*.attention": 4, "layers": 0}
    assert compare_counts(counts, FamilyArchitecture.of(none), check(Lists(), none)).equal


def algebra_of(function, spec, number):
    """Return the algebra of a total that differs by ``number``."""
    model = FamilyArchitecture.of(spec)
    report = Report(0, number, (Row("wrong count", "total", None, None, None, number),))
    (line,) = algebra(UserFormula(function), model, report, with_parts_of(model))
    return line


def test_the_algebra_has_the_models_number():
    """At the parts of a spec; SymPy evaluates it."""
    for spec in (WHOLE, SPEC):
        difference = closed_form(spec.letters()) - user_formulas.without_biases(spec)
        line = algebra_of(user_formulas.without_biases, spec, difference)
        printed = line.partition(" = ")[2].replace("·", "*").replace("²", "**2")
        assert int(sympy.sympify(printed, spec.letters()._asdict())) == difference


DIFFERENTLY = "counts symbols and numbers differently"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda spec: spec.hidden_size + (spec.vocab_size > 250), "does not take symbols"),
        (lambda L: sum(range(L)), "does not take symbols"),
        (lambda spec: spec.hidden_size if spec.num_hidden_layers else 0, DIFFERENTLY),
        (user_formulas.exact, "this framework does not have paramproof's count"),
    ],
)
def test_no_algebra(function, words):
    line = algebra_of(function, SPEC, 7)
    assert line.startswith("no algebra: ")
    assert words in line


MIXTRAL = resolve(SMALL_MIXTRAL).architecture


def by_letter(V, H, F, L, A, G, num_local_experts):
    """Right, with letters and a field."""
    K = H // A
    experts = (3 * F * H + H) * num_local_experts
    return 2 * V * H + L * (2 * H * A * K + 2 * H * G * K + experts + 2 * H) + H


def by_field(config):
    return by_letter(*(getattr(config, MIXTRAL.fields[name]) for name in "VHFLAGE"))


@pytest.mark.parametrize("function", [by_letter, by_field])
def test_right_of_a_model_without_a_family(function):
    """At its own sizes, and at random ones that meet its guards."""
    (own, *drawn), algebra = compared_at_sizes(UserFormula(function), MIXTRAL, 20, 0)
    assert own["derived"] == MIXTRAL.formula.evaluate(own["sizes"])
    assert len(drawn) > 10
    assert all(one["derived"] == one["theirs"] for one in (own, *drawn))
    assert algebra == ""


@pytest.mark.parametrize(
    ("function", "algebra"),
    [
        (lambda config: by_field(config) - config.hidden_size, "actual − formula = H"),
        (lambda H: H if H > 5 else 0, "no algebra: <lambda> does not take symbols ("),
        (lambda L: 3 if isinstance(L, int) else L, f"no algebra: <lambda> {DIFFERENTLY}"),
    ],
)
def test_wrong_of_a_model_without_a_family(function, algebra):
    found, difference = compared_at_sizes(UserFormula(function), MIXTRAL, 5, 0)
    assert all(one["derived"] != one["theirs"] for one in found)
    assert difference.startswith(algebra)


def test_components_are_those_of_a_family():
    with pytest.raises(Refused, match=r"returned \{'total': 1\} of type dict: a count is"):
        compared_at_sizes(UserFormula(lambda H: {"total": 1}), MIXTRAL, 0, 0)


def test_a_nested_configuration_is_passed_as_one():
    nested = replace(MIXTRAL, fields=MIXTRAL.fields | {"H": "text_config.hidden_size"})
    formula = UserFormula(lambda config: config.text_config.hidden_size + config.vocab_size)
    assert formula.counts(nested) == {"total": nested.sizes["H"] + nested.sizes["V"]}


def test_assert_formula(outsider):
    assert_formula(user_formulas.exact, framework="toy", examples=5)
    with pytest.raises(AssertionError, match=r"^spec = EncoderSpec\(vocab_size=1, hidden_size=1,"):
        assert_formula(user_formulas.without_biases, framework="toy", examples=5)
    with pytest.raises(Refused, match="a count is an int"):
        assert_formula(user_formulas.returns_float, framework="toy", examples=5)


def test_assert_formula_takes_a_family(mixer):
    assert_formula(family_formulas.mixer, framework="mixer-toy", examples=5)
    with pytest.raises(Refused, match="choose one with --family"):
        assert_formula(family_formulas.three_quarters, framework="mixer-toy", examples=5)
    with pytest.raises(AssertionError, match="spec = MixerSpec"):
        assert_formula(family_formulas.any_spec, framework="mixer-toy", family="mixer", examples=5)
