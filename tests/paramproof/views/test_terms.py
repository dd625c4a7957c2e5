"""A count in letters: the terms add up, and the printed text means what it should."""

import json
import re
from functools import partial

import pytest

from paramproof.algebra.symbols import sizes_as_symbols, symbols
from paramproof.formulas import FAMILIES, closed_form, inventory
from paramproof.formulas.expression import expression
from paramproof.formulas.models import named_models
from paramproof.views.formula import latex_sum, terms
from tests import literals
from tests.configs import LLAMA
from tests.notation import from_latex, value

FAMILY_NAMES = list(FAMILIES)


def letters_of(family):
    return symbols(FAMILIES[family].letters)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_terms_add_up(family):
    letters = letters_of(family)
    parts = terms(inventory(letters))
    total = sum(term.times * term.each for term in parts)
    assert total == inventory(letters).total() == closed_form(letters)
    # Each tensor is in one term.
    paths = [tensor.path for term in parts for tensor in term.tensors]
    assert paths == [tensor.path for tensor in inventory(letters)]
    assert all(term.sources for term in parts)


@pytest.mark.parametrize("name", named_models())
def test_the_terms_of_a_model_add_up(name):
    spec = named_models()[name].spec
    numbers = terms(inventory(spec.letters()))
    assert sum(term.times * term.each for term in numbers) == literals.TOTALS[name]
    letters = sizes_as_symbols(spec)
    sizes = spec.letters()._asdict()
    in_letters = [(term.path, term.times * term.each) for term in terms(inventory(letters))]
    assert [(path, expression(size).evaluate(sizes)) for path, size in in_letters] == [
        (term.path, term.times * term.each) for term in numbers
    ]


def test_a_term_lists_the_parts_of_a_layer():
    assert [term.path for term in terms(inventory(letters_of("llama")))] == [
        "embeddings.word_embeddings",
        "layers.*.attention_norm",
        "layers.*.attention",
        "layers.*.feed_forward_norm",
        "layers.*.feed_forward",
        "final_norm",
        "lm_head",
    ]


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_latex_adds_up(family):
    """Each line parses and equals the closed form, and so does the last one."""
    letters = letters_of(family)
    begin, *lines, result, end = latex_sum(
        terms(inventory(letters)), closed_form(letters)
    ).splitlines()
    assert (begin, end) == (r"\begin{align*}", r"\end{align*}")
    shown = [line.partition("& ")[2].removeprefix("+ ").partition(" && ") for line in lines]
    read = partial(value, letters=letters._asdict())
    total = sum(read(from_latex(term)) for term, _, _ in shown)
    assert total == read(from_latex(result.removeprefix("={}& "))) == closed_form(letters)
    names = [re.fullmatch(r"\\text\{(.*)\} \\\\", name)[1] for _, _, name in shown]
    assert [name.replace(r"\_", "_") for name in names] == [
        t.path for t in terms(inventory(letters))
    ]


def rows(stdout):
    return [re.split(r" {2,}", line.strip()) for line in stdout.splitlines() if line.strip()]


def test_count_symbolic(paramproof):
    done = paramproof("count", "gpt2", "--symbolic")
    assert (done.returncode, done.stderr) == (0, "")
    title, _, _, *lines = rows(done.stdout)
    assert title == ["gpt2: trainable parameters in letters, tied tensors counted once"]
    assert lines[:10] == [
        ["embeddings.word_embeddings", "V·H", "38,597,376"],
        ["embeddings.position_embeddings", "P·H", "786,432"],
        ["layers.*.attention_layer_norm", "2·H", "× L", "18,432"],
        ["layers.*.attention", "4·H² + 4·H", "× L", "28,348,416"],
        ["layers.*.feed_forward_layer_norm", "2·H", "× L", "18,432"],
        ["layers.*.feed_forward", "2·H·F + H + F", "× L", "56,669,184"],
        ["final_layer_norm", "2·H", "1,536"],
        ["lm_head", "0: tied to embeddings.word_embeddings.weight", "0"],
        ["total", "L·(4·H² + 2·H·F + 9·H + F) + H·(V + P + 2)", "124,439,808"],
        ["closed form", "L·(4·H² + 2·H·F + 9·H + F) + H·(V + P + 2)", "124,439,808"],
    ]
    assert lines[10] == ["letter", "size", "field"]
    assert lines[12:-2] == [
        ["L", "12", "num_hidden_layers"],
        ["H", "768", "hidden_size"],
        ["A", "12", "num_attention_heads"],
        ["F", "3,072", "intermediate_size"],
        ["V", "50,257", "vocab_size"],
        ["P", "1,024", "max_position_embeddings"],
    ]


def test_count_symbolic_names_untrainable_tensors(paramproof):
    found = {
        row[0]: row[1:]
        for row in rows(paramproof("count", "transformer-base", "--symbolic").stdout)
    }
    assert found["encoder.embeddings.position_embeddings"] == ["0: not trainable", "0"]
    assert found["decoder.layers.*.cross_attention"][:2] == ["4·H²", "× M"]


def test_count_symbolic_of_a_config(paramproof, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    found = {
        row[0]: row[1:] for row in rows(paramproof("count", "config.json", "--symbolic").stdout)
    }
    assert found["model.layers.*.self_attn"] == ["2·H·K·(A + G)", "× L", "1,342,177,280"]
    assert found["total"][-1] == "8,030,261,248"


def test_count_latex(paramproof):
    for arguments in (("--latex",), ("--symbolic", "--latex")):
        done = paramproof("count", "bert-tiny", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(
            "\\begin{align*}\n\\text{parameters} ={}& V H && \\text{embed"
        )
        assert r"& + L \left(4 H^{2} + 4 H\right) && \text{layers.*.attention} \\" in done.stdout
