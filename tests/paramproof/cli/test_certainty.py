"""Text, JSON and pages use one word for a formula's certainty, and say where its proof ends."""

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

import paramproof as library
from paramproof.bulk import count_line
from paramproof.cli.derive import derivation_parts
from paramproof.cli.output import show
from paramproof.formulas.condition import condition_in
from paramproof.formulas.derivation import FITTED, PROVED
from paramproof.formulas.derivation_data import derivation_data
from paramproof.json_form import document
from paramproof.pages.model import parts
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.counted import count_data
from paramproof.views.formula import certainty, evidence_lines
from tests.derivations import MIXTURE
from tests.json_schema import assert_document

BEYOND = "these sizes violate a guard that the proof rests on"
VIOLATED = f"{BEYOND} (V ≤ 40; V = vocab_size = 50)"
NOT_TRIED = "V = 50 lies outside the sizes it was validated at (9 to 49)"

DOUBTED = replace(MIXTURE, caveats=("a doubt",))
INSIDE = replace(MIXTURE, irrelevant_guards=(condition_in("V ≤ 50"),))
OUTSIDE = replace(MIXTURE, irrelevant_guards=(condition_in("V ≤ 40"),))
TRIED, FEWER = {"V": (9, 50)}, {"V": (9, 49)}
FOUND = {
    "proved": (MIXTURE, PROVED, ()),
    "inside a guard": (INSIDE, PROVED, ()),
    "beyond a guard": (OUTSIDE, PROVED, (VIOLATED,)),
    "fitted": (DOUBTED, FITTED, ("a doubt",)),
    "at sizes that were tried": (replace(DOUBTED, validated=TRIED), FITTED, ("a doubt",)),
    "at others": (replace(DOUBTED, validated=FEWER), FITTED, (NOT_TRIED, "a doubt")),
    "beyond, at others": (replace(OUTSIDE, validated=FEWER), PROVED, (VIOLATED, NOT_TRIED)),
}
"""Derivations at their own sizes, with the word and the reasons."""

WORDS = {PROVED: "not proved at these sizes", FITTED: FITTED}
"""How a line with reasons begins, by the status of the formula."""

CLAIMS = re.compile(r"checked for|and checked|for other sizes")
"""A statement that must not be made about sizes that were not tried."""


def output_of(derivation):
    out = Console(width=1000, file=io.StringIO())
    show(out, derivation_parts(derivation))
    return out.file.getvalue()


@pytest.mark.parametrize("name", FOUND)
def test_text_data_and_page_agree(name):
    derivation, status, reasons = FOUND[name]
    model = Model(name="it", architecture=derivation)
    written = document("derivation", derivation_data(derivation))
    assert_document(written, "derivation")
    for data in (count_data(model), written):
        assert (data["status"], tuple(data["reasons"])) == (status, reasons)
    first, *others = (line for line in model.origin() if "buffers" not in line)
    assert first.endswith(f": {status}")
    assert others == ([f"{WORDS[status]}: {'; '.join(reasons)}"] if reasons else [])
    text = output_of(derivation)
    for word, said in ((FITTED, f"{FITTED}, not proved"), (PROVED, WORDS[PROVED])):
        assert (f"{said}: {'; '.join(reasons)}" in text) == (status == word and bool(reasons))
    assert not CLAIMS.search("\n".join([text, first, *others]))
    assert status == FITTED or re.search(f"^{PROVED}( where .*)?: ", text, re.MULTILINE)
    evidence = str(parts(View(model))["evidence"])
    assert f": {status}<" in evidence
    assert all(reason.partition(" (")[0] in evidence for reason in reasons)


def test_text_and_data_state_where_a_formula_is_proved():
    """``status`` is for the formula; ``proved_where`` names the sizes that its proof covers."""
    assert derivation_data(INSIDE)["proved_where"] == ["V ≤ 50"]
    first, second, *_ = evidence_lines(INSIDE)
    assert first == "proved where V ≤ 50: all code that makes the model was followed"
    assert second.startswith("fitted elsewhere: ")
    assert certainty(INSIDE) == "proved where V ≤ 50; fitted elsewhere"
    assert derivation_data(MIXTURE)["proved_where"] == []
    (line, *_) = evidence_lines(MIXTURE)
    followed = "all code that makes the model was followed"
    assert line == f"proved: {followed}, at all sizes that meet the conditions"
    assert certainty(MIXTURE) == PROVED
    fitted, *_ = FOUND["fitted"]
    assert derivation_data(fitted)["proved_where"] is None
    assert certainty(fitted) == FITTED


def test_a_derivation_prints_the_sizes_at_which_it_was_validated():
    fitted, *_ = FOUND["at sizes that were tried"]
    assert "\nvalidated at V = 9 to 50\n" in output_of(fitted)
    assert "validated at " in output_of(replace(INSIDE, validated=TRIED))
    assert "validated at " not in output_of(replace(MIXTURE, validated=TRIED))
    assert "validated at " not in output_of(replace(fitted, validated={}))


def test_every_form_of_data_has_the_word(paramproof, tmp_path):
    """The snapshots have the text of commands."""
    keys = {"model_type": "qwen3", "head_dim": 4}
    text = json.dumps(keys)
    for file in ("config.json", "lines.jsonl"):
        (tmp_path / file).write_text(text)
    (model,) = json.loads(paramproof("count", "config.json", "--json", "-").stdout)["models"]
    line = json.loads(paramproof("count", "--jsonl", "lines.jsonl").stdout)
    found = library.count(keys)
    own = {model["status"], line["status"], count_line(1, text.encode())["status"]}
    assert own == {found.status} == {found.to_dict()["status"]} == {PROVED}
    assert model["reasons"] == found.to_dict()["reasons"] == []
    assert f"({PROVED})" in repr(found)
    assert f"({PROVED})" in found._repr_html_()
    paramproof("count", "config.json", "--html", "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert re.findall(r"formula: \S+ \(.*?\): (\w+)", page) == [PROVED]
    assert BEYOND not in page
