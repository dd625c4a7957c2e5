"""Where a number comes from: what the search finds is true, and it finds nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.counting.explained import explained
from paramproof.explanation import letters as algebra
from paramproof.explanation import searched
from paramproof.explanation.explanation import Explanation, Part, recount
from paramproof.explanation.number import read
from paramproof.explanation.rendering import render
from paramproof.explanation.search import explain
from paramproof.explanation.searched import SearchedModel, candidates
from paramproof.formulas import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, inventory
from paramproof.formulas.models import named_model
from paramproof.formulas.notation import text
from paramproof.resolver import resolve
from tests import literals

SMALL = {
    "encoder": EncoderSpec(
        vocab_size=101,
        hidden_size=12,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=31,
        max_position_embeddings=23,
        type_vocab_size=5,
        mlm_head=True,
        nsp_head=True,
    ),
    "encoder-decoder": EncoderDecoderSpec(
        vocab_size=101,
        hidden_size=12,
        num_encoder_layers=3,
        num_decoder_layers=2,
        num_attention_heads=4,
        intermediate_size=31,
        max_position_embeddings=23,
    ),
    "gpt": GPTSpec(
        vocab_size=101,
        hidden_size=12,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=31,
        max_position_embeddings=23,
    ),
    "llama": LlamaSpec(
        vocab_size=101,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=31,
    ),
}


def texts(number, model=None):
    found = explained(read(number), model and resolve(model)).found
    return [one.text for one in found]


def by_spec(number, spec, name="mine"):
    return explain(read(number), [SearchedModel(name, FamilyArchitecture.of(spec))])


BIAS = "layers.*.feed_forward.intermediate.bias in all layers"


@pytest.mark.parametrize(
    ("number", "model", "explanation"),
    [
        ("2,362,368", None, "layers.*.attention in one layer"),
        ("2,362,368", "bert-base", "layers.*.feed_forward.intermediate in one layer"),
        ("109,482,240", None, "the whole model"),
        ("28,348,416", "bert-base", "layers.*.attention in all layers"),
        ("85,054,464", "bert-base", "layers"),
        ("10,152,448", None, "the whole model (total)"),
        ("15,643,136", None, "the whole model (tied-each)"),
        ("163,037,184", "gpt2", "the whole model (tied-each)"),
        ("85,646,592", "bert-base", "the whole model (without-embeddings)"),
        ("173,946,175,488", "gpt3-175b", "layers (weights-only)"),
        ("335,043,584", None, f"the whole model without {BIAS}"),
        ("109,519,104", "bert-base", f"the whole model and {BIAS} a second time"),
        ("102,394,368", "bert-base", "the whole model without one layer of layers"),
        ("108,808,704", None, "the whole model (without-biases, without-pooler)"),
        ("101,675,520", None, "the whole model without embeddings.layer_norm and pooler"),
        (
            "101,675,520",
            "bert-base",
            "the whole model without embeddings.layer_norm and pooler, "
            "at vocab_size=21128 (of bert-base-chinese)",
        ),
        ("102,267,648", "bert-base", "the whole model, at vocab_size=21128 (of bert-base-chinese)"),
        ("1,771,776", "bert-base", "layers.*.attention in one layer without output"),
        (
            "21,261,312",
            "bert-base",
            "layers.*.attention.{query,key,value} in one layer, each head at full width",
        ),
        (
            "6,442,450,944",
            "llama-7b",
            "layers (weights-only), as if these layers were BERT's at F = 4·H",
        ),
        ("30,528,768", "bert-base", "embeddings.word_embeddings + one layer of layers"),
    ],
)
def test_explanations(number, model, explanation):
    assert explanation in texts(number, model)


def test_the_first_is_the_shortest():
    assert texts("2,362,368")[0] == "layers.*.attention in one layer"
    found = explained(read("2,362,368")).found
    assert {one.explanation.complexity for one in found} == {1}
    assert found[0].models[:2] == ("bert-base-uncased", "bert-base-cased")
    assert "gpt2" in found[0].models
    assert found[0].count == literals.ATTENTION_LAYER


@pytest.mark.parametrize("family", SMALL)
def test_every_explanation_gives_its_number(family):
    """The whole grammar, compared with the count that walks the expanded inventory."""
    spec = SMALL[family]
    model = FamilyArchitecture.of(spec)
    everything = [
        *searched.explanations(model),
        *searched.with_classifier(spec),
        *searched.at_known_sizes(spec, alone=True),
    ]
    assert len(everything) > 500
    for count, explanation in everything:
        assert recount(explanation, model)[0] == count, explanation


# By hand at L 3, H 12, F 31, A 4 and V 101: an explanation's count, without any search.
@pytest.mark.parametrize(
    ("parts", "sizes", "number"),
    [
        ([Part("layers.*.attention", one=True)], (), 4 * (144 + 12)),
        ([Part("layers.*.attention")], (), 3 * 4 * (144 + 12)),
        ([Part("layers.*.attention", one=True, times=-2)], (), -2 * 4 * (144 + 12)),
        (
            [Part("layers.*.attention.query.kernel", one=True, per_head_full_width=True)],
            (),
            3 * 144,
        ),
        ([Part("embeddings.word_embeddings")], (("vocab_size", 1000),), 12_000),
        ([Part("layers", conventions=("trainable", "norms-only"))], (), 3 * 2 * 2 * 12),
        ([Part("mlm_head.decoder.weight", conventions=("tied-each",))], (), 101 * 12),
        ([Part("mlm_head.decoder.weight")], (), 0),
    ],
)
def test_recounting(parts, sizes, number):
    explanation = Explanation(tuple(parts), 1, sizes=sizes)
    assert recount(explanation, FamilyArchitecture.of(SMALL["encoder"]))[0] == number


def test_the_search_recounts_what_it_finds(monkeypatch):
    wrong = Explanation((Part("pooler"),), 1)
    monkeypatch.setattr(searched, "candidates", lambda spec, **how: [(12_345, wrong)])
    with pytest.raises(ArithmeticError, match="comes to 590592, not 12345"):
        by_spec("12345", named_model("bert-base").spec)


SPECS = st.builds(
    lambda heads, **sizes: EncoderSpec(num_attention_heads=heads, hidden_size=64 * heads, **sizes),
    heads=st.integers(2, 20),
    num_hidden_layers=st.integers(2, 40),
    intermediate_size=st.integers(500, 9000),
    vocab_size=st.integers(5000, 90_000),
    max_position_embeddings=st.integers(100, 3000),
    type_vocab_size=st.integers(1, 4),
)


@given(SPECS, st.data())
def test_a_mistake_on_any_model_is_found(spec, data):
    """No table of known answers: a random model, with one tensor forgotten or counted twice."""
    tensors = {tensor.path: tensor.size for tensor in inventory(spec.letters()).expand()}
    chosen = data.draw(st.sampled_from(sorted(tensors)))
    times = dict.fromkeys(tensors, 1)
    often = data.draw(st.sampled_from([0, 2]))
    times |= {path: often for path in tensors if _kind(path) == _kind(chosen)}
    wrong = sum(times[path] * size for path, size in tensors.items())
    found, model = by_spec(str(wrong), spec).found, FamilyArchitecture.of(spec)
    assert {recount(one.explanation, model)[0] for one in found} == {wrong}
    mistake = frozenset((path, often) for path, often in times.items() if often)
    assert mistake in {recount(one.explanation, model)[1] for one in found}


def _kind(path):
    return ["*" if level.isdigit() else level for level in path.split(".")]


def test_no_explanation():
    explanation = explained(read("123,456,789"))
    assert (explanation.found, explanation.unnamed) == ((), ())
    assert explanation.nearest.models == ("gpt2",)
    assert explanation.nearest.count == 124_439_808
    gpt2 = resolve("gpt2").architecture
    assert algebra.in_powers(123_456_789 - 124_439_808, gpt2) == "−2·H² + 256·H + 21"


def test_an_unnamed_size_is_listed_separately():
    """BERT-base with 40,000 tokens: the search solves for a size that no model has."""
    number = literals.TOTALS["bert-base-uncased"] + (40_000 - 30_522) * 768
    explanation = explained(read(str(number)), resolve("bert-base"))
    assert explanation.found == ()
    assert explanation.unnamed[0].text == (
        "the whole model, at vocab_size=40000, which no named model has"
    )
    assert all(one.count == number for one in explanation.unnamed)


def test_rounded():
    assert [one.models for one in explained(read("65.2B")).found] == [("llama-65b",)]
    (one,) = by_spec("340M", named_model("bert-large").spec).found
    assert (one.text, one.count) == ("the whole model", 335_141_888)
    assert one.reading == "rounded to 2 significant digits"
    assert explained(read("3.31e9")).found == ()


def test_equal_explanations_are_merged():
    """Query, key, value and output have the same count: no letter shows which one is missing."""
    explanations = render(by_spec("1,771,776", named_model("bert-base").spec).found)
    assert explanations[0].letters == "3·H² + 3·H"
    assert len(explanations[0].equal) >= 3


@pytest.mark.parametrize(
    ("number", "model", "residual"),
    [
        ("335043584", "bert-large", "−L·F"),
        ("108808704", "bert-base", "−L·(5·H + F) − H² − H"),
        ("101675520", "bert-base", "−H² − V·H + V'·H − 3·H"),
        ("10152448", "transformer-one-layer", "2·P·H"),
        ("6442450944", "llama-7b", "L·(8·H² − 3·H·F − 2·H)"),
    ],
)
def test_residuals(number, model, residual):
    explanations = render(by_spec(number, named_model(model).spec).found)
    assert explanations[0].residual == residual


def test_grouped_queries_keep_their_letters():
    """Fewer key heads have letters of their own; with as many as queries, everything is H."""
    attention = Explanation((Part("layers.*.attention", one=True),), 1)
    spec = named_model("llama-2-70b").spec
    usual = replace(spec, num_key_value_heads=spec.num_attention_heads)
    models = {one: FamilyArchitecture.of(one) for one in (spec, usual)}
    letters = {one: text(algebra.in_letters(attention, of)) for one, of in models.items()}
    assert letters == {spec: "2·H·K·(A + G)", usual: "4·H²"}


@pytest.mark.parametrize("family", SMALL)
def test_letters_give_the_number(family):
    """At the model's sizes, the algebra of every explanation gives its number."""
    spec = SMALL[family]
    model, letters = FamilyArchitecture.of(spec), spec.letters()._asdict()
    every = list(candidates(model))
    explanations = every[:: max(1, len(every) // 60)]
    assert explanations
    for count, explanation in explanations:
        if not explanation.sizes:
            assert algebra.in_letters(explanation, model).evaluate(letters) == count
