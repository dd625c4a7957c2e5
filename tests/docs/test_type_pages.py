"""The pages of the model types agree with the catalogue's data, and their counts are right."""

import re

import pytest

from docs.publish.type_pages import counts, entries, entry, listing, page
from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.files import entry_names
from sweep.store import read_failures


@pytest.fixture(scope="module")
def types():
    return list(entries())


def rows(text):
    found = re.findall(r"^\| (.+?) \| ([\d,]+) \|$", text, re.MULTILINE)
    return {what: int(number.replace(",", "")) for what, number in found}


def test_counts(types):
    """Count everything as a reader of the pages would."""
    pages = {one.file.name: page(one) for one in types}
    assert list(pages) == list(entry_names())
    said = counts(types)
    assert said["types with a formula"] == len(model_types())
    assert said["types with parts of other types"] == len(pages) - len(model_types())
    failed = said["types, classes and variants that could not be derived"]
    assert failed == len([name for names in read_failures().values() for name in names])
    classes = [
        (name, status)
        for text in pages.values()
        for name, status in re.findall(r"^\| `(\w+)`.*? \| (proved|fitted|withdrawn)", text, re.M)
    ]
    for status in ("proved", "fitted", "withdrawn"):
        assert said[f"classes, {status}"] == sum(one[1] == status for one in classes)
    assert len(classes) == sum(len(read_type(name).classes) for name in entry_names())


def test_the_list_has_every_type_and_every_failure(types):
    text = listing(types)
    linked = re.findall(r"^\| \[(\S+)\]\(model-types/\1\.md\) \| `\w+` \|", text, re.MULTILINE)
    assert linked == list(entry_names())
    assert rows(text)["types with a formula"] == len(model_types())
    listed = text.partition("## Not derived")[2]
    for model_type, reasons in read_failures().items():
        for name in reasons:
            assert f"`{name if name == model_type else f'{model_type}: {name}'}`" in listed


NAMES = """
    bert roberta albert electra distilbert mpnet modernbert
    gpt2 gpt_neo gpt_neox gptj opt bloom phi3
    llama mistral mixtral qwen3 gemma2 olmo2 cohere granite smollm3
    deepseek_v3 olmoe glm4_moe mamba t5 whisper vit
"""


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
    one = entry(name)
    text = page(one).partition("\n<p>")[0]
    formula = "".join(re.findall(r"^ {4}(.*)$", text, re.MULTILINE))
    assert eval(python_of(formula).strip(), {}, dict(one.base.sizes)) == one.count
    assert f"that is {one.count:,}. `paramproof count {name} " in page(one)


def test_the_command_that_a_page_names_prints_the_number_on_it(paramproof):
    text = page(entry("bert"))
    (number,) = re.findall(r"that is ([\d,]+)\.", text)
    (command,) = re.findall(r"`paramproof (count bert [^`]+)`", text)
    assert number in paramproof(*command.split()).stdout


def test_a_type_whose_default_sizes_violate_a_condition_has_no_number(types):
    without = [one for one in types if one.count is None and one.file.library == "transformers"]
    assert without
    assert all("The default sizes below give no model" in page(one) for one in without)
    row = re.search(rf"^\| \[{without[0].file.name}\].*$", listing(types), re.MULTILINE)
    assert re.search(r"` \|  \| \w+ \|$", row[0])


def test_a_type_of_mlx_lm_has_no_number_but_the_sizes_that_a_file_must_give():
    text = page(entry("mimo"))
    assert "as mlx-lm builds it, since transformers does not have this type" in text
    assert "some have no default" in text
    assert "| H | `hidden_size` |  |" in text
    assert "Derived from mlx 0." in text


def test_one_click_leads_to_the_interactive_page():
    assert 'href="../interactive/model.html#model=qwen3"' in page(entry("qwen3"))


def test_tensors_have_their_number_and_say_what_is_not_trained():
    text = page(entry("bert"))
    assert "\n| 1 | (V, H) | `embeddings.word_embeddings.weight` |\n" in text
    assert "\n| L | (H, F) | `encoder.layer.*.output.dense.weight` |\n" in text
    assert "\n| 1 | (1, P) | `embeddings.position_ids` (buffer) |\n" in text


def test_a_page_names_parts_of_other_types():
    text = page(entry("llava+mistral+pixtral"))
    assert "with `mistral` as its `text_config` and `pixtral` as its `vision_config`:" in text
    assert "`paramproof count llava+mistral+pixtral --class LlavaModel`" in text
    # In an address a plus sign is a space.
    assert "model.html#model=llava%2Bmistral%2Bpixtral" in text
