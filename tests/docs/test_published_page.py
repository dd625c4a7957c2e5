"""docs/published.md agrees with the project's verdicts on published numbers."""

from docs.writers.blocks import AGAIN
from docs.writers.published_page import KINDS, PAGE, kind, render
from paramproof.formulas.models import named_configurations, named_models
from paramproof.views.published import every_named_model, verdict_on

FOUND = every_named_model()


def test_page():
    assert render(FOUND) == PAGE.read_text("utf-8"), AGAIN


def test_every_named_model_is_on_it():
    names = [one.name for one, _ in FOUND]
    assert names == [*named_models(), *named_configurations()]
    text = PAGE.read_text("utf-8")
    assert all(text.count(f"\n| {name} | ") >= 2 for name in names)


def test_each_kind_of_verdict():
    kinds = {one.name: kind(verdict_on(one, model), one) for one, model in FOUND}
    assert set(kinds.values()) == set(KINDS)
    assert kinds["qwen3-8b"] == kinds["keras-bert-question"] == "exact"
    assert kinds["transformer-one-layer"] == "exact, under a convention"
    assert kinds["clip-vit-b-32"] == kinds["llama-65b"] == "rounded or cut off"
    assert kinds["gpt-j-6b"] == kinds["pythia-31m"] == "none"
