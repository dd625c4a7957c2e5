"""The answers of the browser's page, requested from Python."""

import json
import re

import pytest

from paramproof.catalogue import entry, model_types
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.models import LISTED_BY, named_configurations, named_models
from paramproof.pages.answers import answer
from paramproof.pages.side_by_side import SEEN
from paramproof.pages.viewing import ACTIVE, View
from paramproof.resolver import resolve
from paramproof.sources.strict_json import MAX_FILE_BYTES
from paramproof.views.conventions import under_every

NAMES = [*named_models(), *named_configurations()]


def answer_to(view, **state):
    return json.loads(answer(json.dumps({"view": view, "state": state})))


def total(**state):
    shown = answer_to("model", **state)["parts"]["number"]
    return int(re.search(r'id="total">([\d,]+)<', shown)[1].replace(",", ""))


@pytest.mark.shared("a page for each of 238 named models")
@pytest.mark.parametrize("name", NAMES)
def test_a_named_model(name):
    assert total(model=name) == resolve(name).inventory().total()


STATES = {
    "a written formula": {"model": "transformer-one-layer", "dtype": "bf16"},
    # A product of the sum needs no brackets.
    "a derived formula": {"model": "mixtral-8x7b", "under": "active, head-only"},
    "an opened component": {"model": "gpt2", "at": "layers", "L": "3"},
    "nothing to open": {"model": "gpt2", "at": "x<"},
    "ignored keys": {"config": '{"model_type": "qwen3", "my_note": 1, "auto_map": {}}'},
}


@pytest.mark.parametrize("what", STATES)
def test_the_words_of_a_page(what, snapshot):
    """Without markup and controls; the site's tests look at these."""
    parts = answer_to("model", **STATES[what])["parts"]
    shown = (re.sub(r"(<[^>]*>)+", " ", parts[name] or "") for name in parts if name != "controls")
    assert "\n\n".join(" ".join(one.split()) for one in shown) == snapshot


@pytest.mark.parametrize("name", ["bert-base", "transformer-one-layer", "deepseek-v3", "t5-small"])
def test_every_convention(name):
    model = resolve(name)
    for convention, number in under_every(model.inventory()).items():
        if number is not None:
            view = View(model, convention)
            assert view.number == number
            assert sum(one.total for one in view.components.below() if not one.inside) == number


def test_other_sizes_count_like_a_configuration():
    keys = dict(named_configurations()["deepseek-v3"].keys)
    sizes = {"L": 30, "H": 1024, "E": 16}
    fields = {"L": "num_hidden_layers", "H": "hidden_size", "E": "n_routed_experts"}
    moved = {**keys, **{fields[name]: size for name, size in sizes.items()}}
    for under in ("trainable", "weights-only", *ACTIVE):
        state = {name: str(size) for name, size in sizes.items()}
        found = total(model="deepseek-v3", under=under, **state)
        assert found == View(resolve(moved), under).number


def test_the_title_of_a_page_is_the_name_of_its_model():
    config = json.dumps({"model_type": "gpt2", "n_layer": 3})
    titles = [answer_to("model", **one)["title"] for one in ({"model": "gpt2"}, {"config": config})]
    assert titles == ["gpt2", "pasted gpt2, 3 layers, 768 wide"]


@pytest.mark.shared("a page for each type")
@pytest.mark.parametrize("model_type", model_types())
def test_a_type_of_the_catalogue(model_type):
    """Most types have a default for every size."""
    found = answer_to("model", model=model_type)
    try:
        count = entry({"model_type": model_type}).count
    except NotInCatalogue:
        assert list(found) == ["problem"]
    else:
        assert f"{count:,}" in found["parts"]["number"]


@pytest.mark.parametrize(
    ("view", "state", "line"),
    [
        ("model", {}, "no model is named ''"),
        ("model", {"model": "brt-base"}, "no model is named 'brt-base': did you mean bert-base"),
        ("model", {"model": "x" * 100}, "x" * 50),
        ("model", {"model": "gpt2", "under": "x"}, "no convention is named 'x'"),
        ("model", {"model": "gpt2", "dtype": "x"}, "no dtype is named 'x'"),
        ("model", {"model": "gpt2", "Z": "1"}, "'Z' is not a letter of this model; it has L, H, A"),
        ("model", {"config": " " * (MAX_FILE_BYTES + 1)}, "is longer than 33,554,432"),
        ("model", {"config": "{"}, "the configuration: is not JSON"),
        ("model", {"config": '{"model_type": "gpt2", "n_embd": 1000000000000}'}, "is not possible"),
        ("number", {}, "is not a number of parameters"),
        ("number", {"n": "1", "model": "x"}, "no model is named 'x'"),
        ("difference", {"a": "gpt2"}, "no model is named ''"),
    ],
)
def test_a_mistake_is_one_line(view, state, line):
    found = answer_to(view, **state)
    assert {*found} == {"problem"}
    assert line in found["problem"]
    assert "\n" not in found["problem"]
    # A reader of the page may have no command line, and the start page lists the names.
    assert LISTED_BY not in found["problem"]
    assert len(found["problem"]) < 400


def test_active_parameters_that_no_page_can_decide():
    """A table of several models says of each what its own page says."""
    own = answer_to("model", model="longcat_flash")["parts"]["facts"]
    beside = answer_to("difference", a="longcat_flash", b="gpt2")["parts"]["answer"]
    assert ">undecided<" in own
    assert "a token may be sent to experts that have no parameters" in own
    assert beside.count("<td>undecided</td>") == beside.count("<td>all</td>") == 1


def test_no_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    for name in ("config.json", "./config.json", "-", str(tmp_path / "config.json")):
        assert list(answer_to("model", model=name)) == ["problem"]
        assert list(answer_to("difference", a=name, b="gpt2")) == ["problem"]


def test_the_bars_of_models_have_one_scale():
    """The largest part has the whole width; none is drawn where all would be too short."""
    shown = answer_to("difference", a="bert-base", b="gpt2")["parts"]["answer"]
    table = shown.partition('id="components"')[2].partition("</table>")[0]
    numbers = re.compile(r"<td>([\d,]+|-)</td>")
    rows = []
    for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL):
        sizes = [int(one.replace(",", "").replace("-", "0")) for one in numbers.findall(row)[:2]]
        rows.append((sizes, re.findall(r'class="bar-[ab]"[^>]* width="([^"]+)%"', row)))
    drawn = [(sizes, widths) for sizes, widths in rows if widths]
    largest = max(max(sizes) for sizes, _ in drawn)
    bare = [sizes for sizes, widths in rows[:-1] if sizes and not widths]
    assert bare
    assert all(max(sizes) < SEEN * largest for sizes in bare)
    for sizes, widths in drawn:
        assert widths == [f"{100 * size / largest:.2f}" for size in sizes]
