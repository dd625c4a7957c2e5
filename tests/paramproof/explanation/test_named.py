"""Numbers that people search for, explained by every named model."""

import pytest

from paramproof.counting.explained import explained, named
from paramproof.explanation.answer import Match
from paramproof.explanation.explanation import TRAINABLE, Explanation, Part
from paramproof.explanation.number import read
from paramproof.explanation.ranking import best_exact
from paramproof.explanation.rendering import as_json
from paramproof.explanation.text import lines
from paramproof.formulas.models import named_configurations, named_models
from paramproof.resolver import resolve

PUBLISHED = {**named_models(), **named_configurations()}


def answer(number, model=None):
    return explained(read(number), model and resolve(model))


def wholes(number, model=None):
    """Return the models whose total explains the number, in order."""
    found = answer(number, model).found
    return [name for one in found if one.explanation.is_total for name in one.models]


def actives(number, model=None):
    """Return, by model, the conventions by which the number counts active parameters."""
    found = answer(number, model).found
    return [
        (name, one.explanation.active)
        for one in found
        if one.explanation.active
        for name in one.models
    ]


def test_every_named_model_is_searched():
    assert [one.name for one in named()] == list(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_exact_total_of_a_named_model_comes_first(name):
    """Without any more complex explanation beside it."""
    total = resolve(name).inventory().total()
    first, *others = answer(f"{total:,}").found
    assert first.explanation.is_total
    assert name in wholes(f"{total:,}")
    assert not [one for one in others if one.explanation.complexity > 1]


def test_the_total_of_the_given_model_is_the_only_explanation():
    (one,) = answer("671026404352", "deepseek-v3").found
    assert one.explanation.is_total


@pytest.mark.parametrize(
    ("number", "models"),
    [
        ("671B", ["deepseek-v3", "deepseek-r1"]),
        ("46.7B", ["mixtral-8x7b"]),
        ("20.9B", ["gpt-oss-20b"]),
        ("235B", ["qwen3-235b-a22b"]),
        ("27B", ["gemma-2-27b"]),
        ("494M", ["qwen2-0.5b", "qwen2.5-0.5b"]),
        ("560M", ["xlm-roberta-large"]),
        ("1T", ["kimi-k2"]),
        ("66M", ["distilbert-base-uncased"]),
        ("0.6B", ["qwen3-0.6b", "xlm-roberta-large"]),
        ("32B", ["olmo-2-32b", "qwen2.5-32b", "llama-33b", "qwen3-32b"]),
        ("12B", ["pythia-12b", "mistral-nemo-12b"]),
        ("671GB", ["deepseek-v3", "deepseek-r1"]),
        ("1342 GB", ["deepseek-v3", "deepseek-r1"]),
    ],
)
def test_rounded_totals(number, models):
    assert set(models) <= set(wholes(number))


@pytest.mark.parametrize(
    ("number", "model", "found"),
    [
        ("37B", "deepseek-v3", ["head-only", "embedding-and-head"]),
        ("37552282624", "deepseek-v3", ["embedding-and-head"]),
        ("36,625,603,584", None, ["head-only", "head-only"]),
        ("22B", "qwen3-235b-a22b", ["embedding-and-head", "head-only"]),
        ("3B", "qwen3-30b-a3b", ["head-only", "neither", "embedding-and-head"]),
        ("3.6B", "gpt-oss-20b", ["head-only"]),
        ("12.9B", "mixtral-8x7b", ["embedding-and-head"]),
        ("32B", None, ["neither", "head-only"]),
    ],
)
def test_active_parameters(number, model, found):
    """Also without naming a model; with totals, only if they are published that way (Kimi K2)."""
    assert [convention for _, convention in actives(number, model)] == found


def test_non_embedding_parameters_are_one_explanation():
    """8,190,735,360 of Qwen3-8B and 2·151,936·4,096 of its two tables."""
    (one,) = (one for one in answer("6.95B").found if "qwen3-8b" in one.models)
    assert one.count == 8_190_735_360 - 2 * 151_936 * 4_096
    assert one.explanation.complexity == 2


def test_active_parameters_in_words_and_as_data():
    said = answer("37B", "deepseek-v3")
    assert said.found[0].text == "the active parameters per token (head-only)"
    assert any(line.startswith("head-only: ") for line in lines(said))
    assert as_json(said)["found"][0]["active"] == "head-only"
    assert as_json(answer("671B"))["found"][0]["active"] == ""


def test_a_part_of_a_model_does_not_explain_a_rounded_number():
    """BERT has 23.8 million in its embeddings."""
    assert answer("23.8M").found == ()


def test_usual_rounding_comes_before_unusual_rounding():
    """13,015,864,320 is 12B in 2³⁰ and 65,285,660,672 is 70B to one digit: unusual rounding."""
    assert "llama-13b" not in wholes("12B")
    assert "llama-65b" not in wholes("70B")
    assert wholes("340,000,000", "bert-large") == ["bert-large-uncased"]


def test_published_names_come_before_near_counts():
    """Pythia-1B has 1,011,781,632, and Gemma 3 1B has 999,885,952, which is published as 1B."""
    assert {"pythia-1b", "gemma-3-1b"} <= {*wholes("1B")[:3]}


@pytest.mark.parametrize(("number", "each"), [("671GB", 1), ("1342 GB", 2), ("2684GB", 4)])
def test_bytes_of_a_parameter(number, each):
    (one,) = answer(number).found
    assert (one.models, one.bytes_each) == (("deepseek-v3", "deepseek-r1"), each)


def test_rounded_counts_of_the_same_tensors_are_merged():
    """BERT without its embeddings has no heads left that could be excluded, too."""
    found = answer("85.6M", "bert-base").found
    assert len(found) == len({one.tensors for one in found})


def match(conventions, component="", name="it"):
    explanation = Explanation((Part(component, conventions=conventions),), len(conventions))
    return Match(explanation, 1, (name,), named()[0].architecture, frozenset())


def test_a_total_excludes_more_complex_explanations():
    total, other = match(TRAINABLE), match((*TRAINABLE, "without-biases"))
    third = match((*TRAINABLE, "without-biases", "without-pooler"))
    assert best_exact([other, total]) == [total]
    assert best_exact([third, other]) == [other, third]


def test_a_total_comes_before_a_component_and_a_released_model_before_others():
    synthetic = match(TRAINABLE, name="keras-bert-question")
    component, of_synthetic = match(TRAINABLE, "layers"), match(TRAINABLE, "layers", "encoder-175b")
    released = match((*TRAINABLE, "without-biases"))
    assert best_exact([component, synthetic]) == [synthetic, component]
    assert best_exact([of_synthetic, released]) == [released, of_synthetic]


def test_a_large_share_is_not_rounded_away():
    assert "deepseek-v3" not in wholes("1T")
    assert "llama-3.2-1b" in wholes("1B")


@pytest.mark.parametrize(
    ("number", "model", "near"),
    [
        ("650B", None, "deepseek-v3"),
        ("600B", None, None),
        ("114,900,000", "bert-base", "bert-base-uncased"),
        ("116,000,000", "bert-base", None),
    ],
)
def test_nearest_is_near(number, model, near):
    said = answer(number, model)
    assert said.found == ()
    assert (said.nearest and said.nearest.models[0]) == near
    assert any(line.startswith("nearest") for line in lines(said)) == bool(near)


def test_nearest_under_another_rule():
    """Whisper does not train the fixed positions of its encoder."""
    near = answer("1550M", "whisper-large").nearest
    assert (near.count, near.text) == (1_543_304_960, "the whole model (total)")


@pytest.mark.parametrize(
    ("number", "model", "of"),
    [
        ("685B", "deepseek-v3", ""),
        ("36.7B", "deepseek-v3", "active parameters"),
        ("1550M", "whisper-large", ""),
        ("6,053,381,344", "gpt-j-6b", ""),
        ("31M", "pythia-31m", ""),
        ("124,439,808", "whisper-base.en", ""),
    ],
)
def test_a_published_number_that_no_convention_explains(number, model, of):
    said = answer(number, model)
    (one,) = said.published
    assert (one.model, one.of, one.verdict.conventions) == (model, of, ())
    printed = "\n".join(lines(said))
    assert "no explanation found" not in printed
    assert f"{one.number} is published for {model}" in printed
    assert as_json(said)["published"][0]["model"] == model
    assert said.says_something


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_number_of_a_model_gets_an_answer(name):
    model = PUBLISHED[name]
    printed = [model.published, *(one.published for one in model.also)]
    printed += [model.active] if getattr(model, "active", "") else []
    for number in printed:
        said = answer(number, name)
        assert said.found or said.published, number
        assert not said.none_in


def test_published_numbers_of_all_models():
    said = answer("6,053,381,344")
    assert [one.model for one in said.published] == ["gpt-j-6b"]
    assert "whisper-large" in [one.model for one in answer("1550M").published]
    # A model with exactly this count needs no such line, ...
    assert not answer("671B").published
    # ... and further lines may follow.
    assert "bert-base-chinese" in [one.model for one in answer("110M").published]


def test_a_number_published_for_another_model(tmp_path):
    """OpenAI prints 1550M for Whisper's large models."""
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "whisper", "architectures": ["WhisperModel"]}', "utf-8")
    said = answer("1550M", str(config))
    assert said.none_in
    assert "whisper-large" in [one.model for one in said.published]
    assert next(lines(said, width=1000)).startswith("1550M: not explained by ")


def test_long_lists_are_cut():
    said = answer("7B")
    assert len(said.found) > 6
    assert any(line.startswith("  and ") for line in lines(said))
    assert not any(line.startswith("  and ") for line in lines(said, everything=True))
