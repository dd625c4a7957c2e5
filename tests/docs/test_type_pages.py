"""The pages of the model types agree with the catalogue, and their counts are right."""

import re

import pytest

from docs.writers import type_pages
from docs.writers.type_pages import UNTRACED, counts, index, page, reasons, type_entry
from paramproof.catalogue.names import classes_of

NAMES = """
    bert roberta albert electra distilbert mpnet modernbert
    gpt2 gpt_neo gpt_neox gptj opt bloom phi3
    llama mistral mixtral qwen3 gemma2 olmo2 cohere granite smollm3
    deepseek_v3 olmoe glm4_moe mamba t5 whisper vit
"""


@pytest.fixture(scope="module")
def types():
    found = tuple(map(type_entry, NAMES.split()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type_pages, "entries", lambda: found)
        yield found


def test_counts(types):
    """Count everything as a reader of the pages would."""
    row = re.compile(r"^\| `(\w+)` \| (proved|fitted|no default model)", re.MULTILINE)
    classes = [found for one in types for found in row.findall(page(one))]
    due = [name for one in NAMES.split() for name in classes_of(one)]
    assert [name for name, _ in classes] == due
    said = counts()
    assert said["types with a formula"] == len(NAMES.split())
    for status in ("proved", "fitted", "no default model"):
        assert said[f"classes, {status}"] == sum(one[1] == status for one in classes)


def test_the_list_has_every_type_and_every_class_without_a_program(types):
    row = r"^\| \[(\S+)\]\(\.\./model-types/\1\.md\) \| `\w+` \|"
    assert re.findall(row, index(), re.MULTILINE) == NAMES.split()
    assert all(f"`{name}`" in reasons() for name in UNTRACED)


def python_of(formula):
    """Return a printed formula as an expression of Python."""
    for sign, operator in (("·", "*"), ("×", "*"), ("−", "-"), ("²", "**2"), ("³", "**3")):
        formula = formula.replace(sign, operator)
    while "⌊" in formula:
        formula = re.sub(r"⌊([^⌊⌋]*)/([^⌊⌋/]*)⌋", r"((\1)//(\2))", formula)
    return formula


@pytest.mark.parametrize("name", NAMES.split())
def test_formulas_give_the_count(name):
    """The formula on a page, evaluated by Python, gives the count at the default sizes."""
    one = type_entry(name)
    text = page(one).partition("\n<p>")[0]
    formula = "".join(re.findall(r"^ {4}(.*)$", text, re.MULTILINE))
    sizes = dict(one.shown.derivation.sizes)
    assert eval(python_of(formula).strip(), {}, sizes) == one.shown.count
    assert f"have {one.shown.count:,}. `paramproof count {name} " in page(one)


def test_the_command_that_a_page_names_prints_the_number_on_it(paramproof):
    text = page(type_entry("bert"))
    (number,) = re.findall(r"`BertModel` have ([\d,]+)\.", text)
    (command,) = re.findall(r"`paramproof (count bert [^`]+)`", text)
    assert number in paramproof(*command.split()).stdout


def test_a_type_without_a_model_at_its_defaults_has_no_number(monkeypatch):
    one = type_entry("internlm2")
    monkeypatch.setattr(type_pages, "entries", lambda: [one])
    assert "No class has a model at its defaults." in page(one)
    assert re.search(r"^\| \[internlm2\S+ \| `\w+` \|  \| no default model \|$", index(), re.M)
    assert all(page(of).startswith("---\nsearch:\n") for of in (one, type_entry("bert")))


def test_one_click_leads_to_the_interactive_page():
    assert 'href="../interactive/model.html#model=qwen3"' in page(type_entry("qwen3"))


def test_tensors_have_their_number_and_say_what_is_not_trained():
    text = page(type_entry("bert"))
    assert "\n| 1 | (V, H) | `embeddings.word_embeddings.weight` |\n" in text
    assert "\n| L | (H, F) | `encoder.layer.*.output.dense.weight` |\n" in text
    assert "\n| 1 | (1, P) | `embeddings.position_ids` (buffer) |\n" in text
