"""The first things a visitor sees: the field, the facts of a model, links to copy, errors."""

import json
import math
import re
from urllib.parse import unquote, urlencode

import pytest

from paramproof.catalogue import model_types
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import model_names
from paramproof.resolver import request_for_name, resolve
from paramproof.sources.strict_json import object_in_text
from tests.browser.test_every_page import serious
from tests.configs import LLAMA_3_1_8B

PAGES = (
    *("index.html", "model.html", "models/gpt2.html", "number.html"),
    *("difference.html", "frameworks.html", "about.html"),
)

ASKED = {
    "a name": ("deepseek-v3", "models/deepseek-v3.html"),
    "a model type": ("qwen3", "model.html#model=qwen3"),
    "a class": ("Qwen3ForCausalLM", "model.html#model=Qwen3ForCausalLM"),
    "a number": ("2,362,368", "number.html#n=2,362,368"),
    "a rounded number": ("110M", "number.html#n=110M"),
    "a number of bytes": ("418 MiB", "number.html#n=418 MiB"),
    "a configuration": (json.dumps(LLAMA_3_1_8B), f"model.html#config={json.dumps(LLAMA_3_1_8B)}"),
}
MISSPELT = {"qwem3-8b": "qwen3-8b", "01-ai/Yi-6B": "yi-34b", "8x7b": "mixtral-8x7b"}


def page_of(watched):
    """Return the path and state of the page that is open."""
    return unquote(watched.page.url.removeprefix(watched.address).replace("+", " "))


@pytest.mark.parametrize("what", ASKED)
def test_the_field_opens_the_page_for(static_page, what):
    typed, expected = ASKED[what]
    static_page.open("index.html")
    static_page.page.fill("[name=what]", typed)
    static_page.page.press("[name=what]", "Enter")
    static_page.page.wait_for_url(re.compile(r"/(models/|model\.|number\.)"))
    assert page_of(static_page) == expected
    assert not any("hidden_size" in url.partition("#")[0] for url in static_page.asked)


@pytest.mark.parametrize("typed", MISSPELT)
def test_a_misspelt_name_stays_in_the_field_beside_the_nearest_ones(static_page, typed):
    static_page.open("index.html")
    static_page.page.fill("[name=what]", typed)
    static_page.page.press("[name=what]", "Enter")
    static_page.page.wait_for_selector("#problem a")
    assert static_page.page.input_value("[name=what]") == typed
    assert static_page.problem.startswith(f"no model, model type or class is named '{typed}'")
    static_page.page.click("#problem a >> nth=0")
    static_page.page.wait_for_url(f"**/{MISSPELT[typed]}.html")


LISTED = {
    "qwen3-8": ["qwen3-8b 8,190,735,360"],
    "Qwen/Qwen3-8B": ["qwen3-8b 8,190,735,360"],
    "qwen3_next": [
        "qwen3_next 79,674,391,296, model type",
        "qwen3-next-80b-a3b 79,674,391,296",
    ],
    "671,026,404,352": ["deepseek-v3 671,026,404,352", "deepseek-r1 671,026,404,352"],
    "many": [],
}


@pytest.mark.parametrize("typed", LISTED)
def test_the_field_lists_names_with_their_numbers_while_one_types(static_page, typed):
    from playwright.sync_api import expect

    static_page.open("index.html")
    field = static_page.page.locator("[name=what]")
    with static_page.page.expect_response("**/names.json"):
        field.press_sequentially(typed)
    shown = static_page.page.locator("[role=option]:not(:has-text('Explain'))")
    expect(shown).to_have_text(LISTED[typed])
    assert not any("worker.js" in url for url in static_page.asked)


def test_the_list_is_used_by_keys_alone(static_page):
    static_page.open("index.html")
    page, field = static_page.page, static_page.page.locator("[name=what]")
    options = page.locator("[role=option]")
    field.press_sequentially("qwen3-")
    options.first.wait_for()
    for key, one in (("ArrowUp", options.last), ("ArrowDown", options.first)):
        field.press(key)
        assert field.get_attribute("aria-activedescendant") == one.get_attribute("id")
        assert one.get_attribute("aria-selected") == "true"
    assert field.get_attribute("aria-expanded") == "true"
    field.press("Escape")
    assert field.get_attribute("aria-expanded") == "false"
    assert not options.first.is_visible()
    field.press("ArrowDown")
    options.first.wait_for()
    field.press("ArrowDown")
    name = options.first.locator("b").inner_text()
    field.press("Enter")
    page.wait_for_url(f"**/models/{name}.html")


SPELT = ("{}", "{} ", "some-org/{}", "{}-Instruct", "hf.co/x/{}/blob/main/config.json")


def test_the_field_reads_names_as_the_command_does(static_page):
    def meant(text):
        try:
            return request_for_name(text).name
        except InvalidInput:
            return None

    # Every tenth: what has no meaning takes long, since similar names are looked for.
    names = [*model_names(), *model_types()][::10]
    texts = [one.format(name) for name in names for one in SPELT] + [one.upper() for one in names]
    static_page.open("index.html")
    read = """async (texts) => {
      const index = await (await import("/names.js")).names();
      return texts.map((text) => index.find(text)?.name ?? null);
    }"""
    found = static_page.page.evaluate(read, texts)
    assert dict(zip(texts, found, strict=True)) == {text: meant(text) for text in texts}


def test_each_example_has_an_answer(new_page):
    new_page.open("index.html")
    examples = new_page.page.locator("#ask .examples a")
    assert examples.count() == 3
    for place in range(3):
        new_page.open("index.html")
        examples.nth(place).click()
        new_page.page.wait_for_url(re.compile(r"/(models/|model\.|number\.)"))
        new_page.settle()
        assert new_page.problem == ""
        assert re.search(r"\d,\d{3}", new_page.text("#main"))


@pytest.mark.parametrize("path", PAGES)
def test_a_file_can_be_dropped_anywhere(static_page, path):
    static_page.open(path)
    static_page.drop(json.dumps(LLAMA_3_1_8B), "config.json")
    # A page that compares takes it for its first empty field.
    where = "difference.html#a=" if path == "difference.html" else "model.html#config="
    static_page.page.wait_for_url(f"**/{where}*")
    assert json.loads(page_of(static_page).partition(where)[2]) == LLAMA_3_1_8B


COUNTED = {
    "a configuration": ({"config": json.dumps(LLAMA_3_1_8B)}, "pasted llama, 32 layers"),
    "one that names no class": (
        {"config": '{"model_type": "gpt2", "n_layer": 3}'},
        "pasted gpt2, 3 layers",
    ),
    "a model type": ({"model": "t5"}, "t5"),
}


@pytest.mark.parametrize("what", COUNTED)
def test_it_is_counted_before_python_has_started(static_page, site, what):
    state, title = COUNTED[what]
    static_page.open(f"model.html#{urlencode(state)}")
    static_page.page.wait_for_selector("#total")
    own = resolve(json.loads(state["config"]) if "config" in state else state["model"])
    assert (static_page.total, static_page.text("#title")) == (own.inventory().total(), title)
    parts = static_page.page.locator("#facts b").all_inner_texts()
    assert sum(int(one.replace(",", "")) for one in parts) == static_page.total
    assert len(parts) >= 3
    paths = {url.removeprefix(static_page.address).partition("#")[0] for url in static_page.asked}
    assert sum((site / path).stat().st_size for path in paths) < 1_500_000


UNCLEAR = ({"hidden_size": "wide"}, {"architectures": ["NoSuchClass"]}, {"rope_theta": -math.inf})


@pytest.mark.parametrize("more", UNCLEAR)
def test_what_only_python_can_judge_is_left_to_it(static_page, more):
    static_page.open(f"model.html#config={json.dumps(LLAMA_3_1_8B | more)}")
    static_page.page.wait_for_selector("#status:has-text('Starting Python')")
    assert static_page.page.locator("#total").count() == 0


def test_the_place_where_a_text_is_not_json_is_named_without_python(static_page):
    text = '{"model_type": "llama",\n "hidden_size": 40 96}'
    static_page.open(f"model.html#{urlencode({'config': text})}")
    static_page.settle()
    with pytest.raises(InvalidInput) as refused:
        object_in_text(text, "the configuration")
    for one in (static_page.problem, str(refused.value)):
        assert one.startswith("the configuration: is not JSON: ")
        assert "line 2 column 20" in one


def test_what_python_refuses_is_not_shown_any_more(new_page):
    """The reader in JavaScript ignores a key that no class has; Python names it, with a link."""
    new_page.open(f"model.html#config={json.dumps({'model_type': 'qwen3', 'hidden_sise': 64})}")
    new_page.page.wait_for_selector("#total")
    new_page.settle()
    assert "did you mean 'hidden_size'?" in new_page.problem
    assert not new_page.page.is_visible("#total")
    new_page.asking(new_page.page.click, "#problem a")
    keys = {"model_type": "qwen3", "hidden_size": 64}
    assert (new_page.problem, new_page.total) == ("", resolve(keys).inventory().total())


def test_text_can_be_dropped(static_page):
    static_page.open("about.html")
    static_page.drop("gpt2")
    static_page.page.wait_for_url("**/models/gpt2.html")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_a_link_to_copy_and_a_footer(static_page, path):
    static_page.open(path)
    static_page.page.click("#copy-link")
    static_page.page.wait_for_selector("#status:has-text('Copied.')")
    copied = static_page.page.evaluate("navigator.clipboard.readText()")
    assert copied == static_page.page.url
    footer = static_page.text("footer")
    assert "counts the parameters of transformers" in footer
    links = static_page.page.eval_on_selector_all(
        "footer a", "all => Object.fromEntries(all.map((one) => [one.textContent, one.href]))"
    )
    assert {"Documentation", "Source", "MIT licence", "How do you know?"} == set(links)
    for address in links.values():
        assert static_page.page.request.get(address).ok


def test_the_licence_is_on_the_site(static_page):
    static_page.open("about.html")
    licence = static_page.page.request.get(f"{static_page.address}licence.txt").text()
    assert licence.startswith("MIT License")


def test_the_first_screen_of_a_mixture_of_experts(no_script, paramproof):
    """All of it is in the page as built, and on a laptop's screen."""
    no_script.set_viewport_size({"width": 1280, "height": 800})
    no_script.goto("models/deepseek-v3.html")
    counted = json.loads(paramproof("count", "deepseek-v3", "--active", "--json", "-").stdout)
    (model,) = counted["models"]
    active = model["active"]["conventions"]["head-only"]["active"]
    assert model["active"]["convention"] == "head-only"
    assert no_script.inner_text("#active") == f"{active:,}"
    facts = no_script.inner_text("#facts")
    for fact in (
        "≈ 36.6B, head-only\n37,552,282,624, embedding-and-head\na token passes 8 of 256 experts",
        "671.03 GB",
        "float8, 1 byte each: 671,026,404,352 bytes",
        "the published precision; scales, and tensors that are not quantized, come on top",
        "671B\nrounded to 3 significant digits\nDeepSeek-AI 2024, arXiv:2412.19437",
        "37B\nrounded to 2 significant digits, under head-only",
        "Proved",
    ):
        assert fact in facts, fact
    box = no_script.locator("#facts").bounding_box()
    assert box["y"] + box["height"] < 800
    no_script.click("#facts a")
    assert no_script.url.endswith("#evidence-heading")


def test_the_precision_of_a_configuration_is_its_own(models):
    config = json.dumps({**LLAMA_3_1_8B, "torch_dtype": "float16"})
    models.state("model.html", config=config)
    assert models.text("#bytes").startswith("float16, 2 bytes each: ")
    assert models.page.input_value("[name=dtype]") == "float16"
    models.state("model.html", config=config, dtype="float32")
    assert models.text("#bytes").startswith("float32")
    assert "precision in the configuration: float16" in models.text("#facts")


def test_the_link_to_the_evidence_moves_the_focus_and_keeps_the_state(models):
    models.state("model.html", model="bert-base", L="13")
    models.page.click("#facts a")
    assert models.page.evaluate("document.activeElement.id") == "evidence-heading"
    assert models.page.url.endswith("#model=bert-base&L=13")


def test_experts_are_a_grid_that_one_click_opens(no_script):
    no_script.goto("models/deepseek-v3.html")
    grid = no_script.locator("#picture .grid")
    assert grid.count() == 1
    # A line at the start of each column and row: 256 experts.
    lines = grid.get_attribute("d")
    assert lines.count("v") * lines.count("h") == 256
    texts = no_script.locator("#picture text").all_text_contents()
    assert "model.layers › 58 layers › mlp › experts" in texts
    assert "8 of 256 per token; one has 44,040,192" in texts
    opened = no_script.locator("#picture a.cell[aria-label^=experts]").get_attribute("data-at")
    assert opened.endswith(".mlp.experts")
    assert "dark: those that a token is sent to" in no_script.inner_text("#picture .legend")


STALE = {
    "numbers": ("number.html", {"n": "2362368"}, {"n": "<b>x</b>"}, "#answer"),
    "models": ("model.html", {"model": "bert-base"}, {"model": "bart-bse"}, "#total"),
    "differences": ("difference.html", {"a": "bert-base", "b": "gpt2"}, {"b": "nope"}, "#answer"),
}


@pytest.mark.parametrize("place", STALE)
def test_an_old_answer_never_stands_under_a_new_error(request, place):
    watched = request.getfixturevalue(place)
    path, right, wrong, answer = STALE[place]
    watched.state(path, **right)
    before = watched.text(answer)
    assert before
    watched.state(path, **right | wrong)
    assert watched.problem
    assert not watched.page.locator(answer).is_visible()
    assert watched.text(answer) == ""
    watched.state(path, **right)
    assert (watched.problem, watched.text(answer)) == ("", before)


def test_a_refused_size_keeps_the_answer_and_links_to_the_next_ones(models, modules):
    models.state("model.html", model="bert-base")
    models.state("model.html", model="bert-base", A="5")
    assert models.problem == (
        "num_attention_heads=5 is not possible: it must be a divisor of hidden_size=768; possible "
        "and near: A = 4 and A = 6. The answer below is that of the sizes before."
    )
    assert (models.total, models.page.input_value("#size-A")) == (109_482_240, "5")
    assert models.page.locator("#main.kept").count() == 1
    assert [*serious(models.page, modules)] == []
    models.asking(models.page.click, "#problem a >> text=A = 6")
    assert models.page.url.endswith("model=bert-base&A=6")
    assert (models.problem, models.page.locator("#main.kept").count()) == ("", 0)


REFUSED = (
    {"config": '{"model_type": "no_such_type"}'},
    {"config": '{"model_type": "timm_backbone"}'},
    {"config": '{"model_type": "bert", "architectures": ["NoSuchClass"]}'},
    {"config": '{"hidden_size": 3}'},
    {"model": "no-such-model"},
    {"model": "some-org/some-model"},
    {"model": "01-ai/Yi-6B"},
    {"model": "Qwen/Qwen3-9B"},
)
ADVICE = re.compile(r"pip install|paramproof \w|--\w|path of")


@pytest.mark.parametrize("state", REFUSED, ids=str)
def test_advice_fits_a_browser(models, state):
    models.state("model.html", **state)
    assert models.problem
    assert not ADVICE.search(models.problem)
    if state == REFUSED[-1]:
        models.asking(models.page.click, "#problem a >> nth=0")
        assert (models.problem, models.text("#title")) == ("", "qwen3-8b")


def test_a_slider_shows_its_range_and_is_reset_alone(models):
    models.state("model.html", model="bert-base")
    page = models.page
    for letter in "LHAFVPT":
        ends = page.locator(f"[data-range={letter}] small").all_inner_texts()
        least, most = (int(one.replace(",", "")) for one in ends)
        assert least < int(page.input_value(f"#size-{letter}")) < most
        assert not page.is_visible(f"[data-reset={letter}]")
    page.fill("#size-L", "24")
    page.fill("#size-V", "1000")
    models.settle()
    assert page.is_visible("[data-reset=L]")
    models.asking(page.click, "[data-reset=L]")
    assert page.url.endswith("#model=bert-base&V=1000")
    assert (page.input_value("#size-L"), page.input_value("#size-V")) == ("12", "1000")
    assert page.evaluate("document.activeElement.id") == "size-L"
    assert not page.is_visible("[data-reset=L]")
    assert models.total == resolve("bert-base").inventory().total() - 768 * (30522 - 1000)
