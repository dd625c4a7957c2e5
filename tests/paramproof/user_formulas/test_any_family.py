"""Formulas of any family, without a framework: parameters select the family; comparison."""

from random import Random
from types import SimpleNamespace

import pytest

from paramproof.formulas import FAMILIES, GPTSpec
from paramproof.formulas.models import named_models
from paramproof.random_specs import random_spec
from paramproof.user_formulas.choices import redrawn
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.family_choice import chosen_family, fullest_spec
from paramproof.user_formulas.shrink import shrink
from paramproof.user_formulas.signature import FormulaRefused, UserFormula
from paramproof.user_formulas.verify import verify_formula
from tests import family_formulas, user_formulas
from tests.specs import SPECS
from tests.weight_lists import Lists

LISTS = SimpleNamespace(name="lists", version="1", fixed={"type_vocab_size": 2})


def results_of(function, family="", models=(), builder=None):
    formula = UserFormula.of(function)
    about = chosen_family(formula, (family,) if family else ())
    named = {name: named_models()[name].spec for name in models}
    return list(verify_formula(LISTS, builder or Lists(), formula, about, named, 20, 0))


@pytest.mark.parametrize(
    ("function", "families"),
    [
        (family_formulas.gpt2_rule_of_thumb, ["encoder", "gpt"]),
        (family_formulas.gpt2, ["gpt"]),
        (family_formulas.llama, ["llama"]),
        (family_formulas.llama_with_a_key_for_each_query, ["llama"]),
        (family_formulas.transformer, ["encoder-decoder"]),
        (family_formulas.transformer_of_one_attention, ["encoder-decoder"]),
        (family_formulas.three_quarters, ["encoder", "gpt", "llama"]),
        (family_formulas.encoders, ["encoder", "gpt"]),
        (family_formulas.any_spec, list(FAMILIES)),
        (user_formulas.exact, ["encoder"]),
        (lambda **letters: 0, list(FAMILIES)),
        (lambda head_dim: head_dim, ["llama"]),
        (lambda L, head_dim, N=1: head_dim, ["llama"]),
        (lambda spec, factor=4: 0, list(FAMILIES)),
    ],
)
def test_the_parameters_select_the_family(function, families):
    assert list(UserFormula.of(function).families()) == families


def test_only_families_that_can_call_the_formula_count():
    assert chosen_family(UserFormula.of(user_formulas.from_spec)).name == "encoder"
    by_keys = UserFormula.of(lambda spec: spec.num_key_value_heads)
    assert chosen_family(by_keys).name == "llama"
    with pytest.raises(FormulaRefused, match="fits encoder and gpt: choose one with --family"):
        chosen_family(UserFormula.of(family_formulas.encoders))
    assert chosen_family(UserFormula.of(family_formulas.encoders), ["gpt", "llama"]).name == "gpt"
    with pytest.raises(FormulaRefused, match="fits encoder and gpt, and not llama"):
        chosen_family(UserFormula.of(family_formulas.encoders), ["llama"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_formula_called_with_every_letter(family):
    """A field with the name of a letter, as ``pooler``, is the letter: 1 and not True."""
    spec = fullest_spec(FAMILIES[family])
    assert UserFormula.of(lambda **letters: sum(letters.values())).counts(spec) == {
        "total": sum(spec.letters())
    }
    by_both = UserFormula.of(lambda H, hidden_size, vocab_size: H * hidden_size + vocab_size)
    assert by_both.counts(spec) == {"total": spec.hidden_size**2 + spec.vocab_size}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_whole_model_has_every_part(family):
    spec = fullest_spec(FAMILIES[family])
    parts = {name: one for name, one in spec.letters()._asdict().items() if name.islower()}
    assert set(parts.values()) == {1}


@pytest.mark.parametrize(
    ("function", "models"),
    [
        (family_formulas.gpt2, ["gpt2", "gpt2-xl", "gpt3-175b"]),
        (family_formulas.llama, ["llama-7b", "llama-2-70b", "llama-3.2-1b"]),
        (family_formulas.transformer, ["transformer-base", "transformer-one-layer"]),
        (user_formulas.exact, ["bert-base-uncased"]),
    ],
)
def test_right(function, models):
    results = results_of(function, models=models)
    assert [result.model for result in results] == [*models, *[""] * 20]
    assert {result.status for result in results} == {"equal"}


@pytest.mark.parametrize(
    ("function", "family", "models", "least", "algebra"),
    [
        (
            family_formulas.gpt2_rule_of_thumb,
            "gpt",
            ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"],
            (1, 1, 1, 1, 1, 1, 0),
            ["L·(−8·H² + 2·H·F − 4·H + F) + untied·V·H"],
        ),
        (
            family_formulas.gpt2_by_heads,
            "gpt",
            [],
            (1, 1, 1, 1, 1, 1, 0),
            ["4·L·H + untied·V·H"],
        ),
        (
            family_formulas.gpt2_without_biases,
            "",
            [],
            (1, 1, 1, 1, 1, 1, 0),
            ["4·H   layers.*.attention", "H + F   layers.*.feed_forward"],
        ),
        (
            family_formulas.llama_with_a_key_for_each_query,
            "",
            ["llama-7b", "llama-65b"],
            (1, 4, 2, 1, 2, 1, 1, 0),
            ["L·(−2·H·A·K + 2·H·G·K)"],
        ),
        (
            family_formulas.llama_of_divided_heads,
            "",
            ["llama-7b", "llama-2-70b"],
            (1, 1, 1, 1, 2, 1, 1, 0),
            ["L·(2·H·A·K − 2·H·A·⌊H/A⌋ + 2·H·G·K − 2·H·G·⌊H/A⌋)"],
        ),
        (
            family_formulas.transformer_of_one_attention,
            "",
            [],
            (0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0),
            ["4·H² + 2·H + 4·bias·H   decoder.layers.*"],
        ),
    ],
)
def test_wrong(function, family, models, least, algebra):
    """The models listed are equal; the counterexample is small in every size."""
    *results, smallest = results_of(function, family, models)
    assert [result.model for result in results if result.status == "equal"][: len(models)] == models
    assert smallest.smallest
    formula = UserFormula.of(function)
    lines = list(difference(formula, smallest.spec, smallest.report))
    assert [line.partition(" = ")[2] for line in lines if "formula = " in line] == algebra
    assert tuple(smallest.spec.letters()) == least


@pytest.mark.parametrize("family", FAMILIES)
def test_choices_determine_every_spec(family):
    """Random specs, and those of named models, whose sizes no random spec has."""
    random = Random(0)
    specs = [random_spec(random, family) for _ in range(100)]
    specs += [one.spec for one in named_models().values() if one.spec.family == family]
    for spec in specs:
        assert redrawn(spec).spec == spec


@pytest.mark.parametrize("family", FAMILIES)
def test_smallest(family):
    """The smallest in each size separately, and without optional parts."""
    start = fullest_spec(FAMILIES[family])
    asked = []

    def differs(spec):
        asked.append(spec)
        return spec.hidden_size >= 6 and spec.vocab_size > 7 and not spec.tie_word_embeddings

    least = shrink(start, differs)
    assert len(asked) == len(set(asked))
    letters = least.letters()._asdict()
    assert (letters.pop("V"), letters.pop("H"), letters.pop("untied")) == (8, 6, 1)
    needed = {"mlm": 1} if family == "encoder" else {}
    needed |= {"U": 8, "shared": 1} if family == "encoder-decoder" else {}
    assert all(letters[name] == size for name, size in needed.items())
    others = {name: size for name, size in letters.items() if name not in {*needed, "A", "G", "K"}}
    assert {name for name, size in others.items() if size} <= {"F", "P", "T"}
    assert max(others.values()) == 1


def test_fields_that_are_never_drawn_do_not_change(monkeypatch):
    def narrow(cls, choices):
        (size,) = choices.sizes("vocab_size").values()
        others = dict.fromkeys(FAMILIES["gpt"].field_names, 1) | {"tie_word_embeddings": True}
        return cls(**others | {"vocab_size": size})

    monkeypatch.setattr(GPTSpec, "drawn", classmethod(narrow), raising=False)
    assert shrink(SPECS["gpt"], lambda asked: True) == SPECS["gpt"]


def test_an_unsupported_family_is_reported_once():
    """And each named model; no random spec is requested."""
    builder = Lists(refuses=lambda spec: True)
    results = results_of(family_formulas.gpt2, models=["gpt2"], builder=builder)
    assert [(result.model, result.status) for result in results] == [
        ("gpt2", "not expressible"),
        ("", "not expressible"),
    ]
    assert results[-1].reason == "refused"
