"""The other views: a number, two models, the frameworks, the list of all models."""

import json

import pytest

from paramproof.differences.answer import recorded
from paramproof.resolver import resolve
from tests.browser.watched import folded


def test_a_number_is_explained_as_the_command_line_does(numbers, paramproof):
    for number in ("2362368", "110M", "335143938", "12345"):
        numbers.state("number.html", n=number, all="1")
        said = paramproof("explain", number).stdout
        assert folded(numbers.text("#answer")) == folded(said)
    numbers.page.fill("[name=n]", "335141888")
    numbers.page.fill("[name=model]", "bert-large")
    numbers.asking(numbers.page.press, "[name=model]", "Enter")
    assert numbers.page.url.endswith("number.html#n=335141888&model=bert-large")
    said = paramproof("explain", "335141888", "bert-large").stdout
    assert folded(numbers.text("#answer")) == folded(said)
    leads = numbers.page.eval_on_selector_all(
        "#answer a", "all => all.map((one) => one.getAttribute('href'))"
    )
    assert leads == ["model.html#model=bert-large-uncased"]
    numbers.state("number.html", n="335141888", model="bert-lagre")
    numbers.asking(numbers.page.click, "#problem a >> text=bert-large-uncased")
    assert numbers.problem == ""
    numbers.state("number.html", n="<b>")
    assert numbers.problem == "'<b>' is not a number of parameters: write it as 2,362,368 or 110M"


KNOWN = {
    "671,026,404,352": ["671,026,404,352 is the whole model", "of deepseek-v3, deepseek-r1"],
    "0.11B": [
        "110M is published for bert-base-uncased",
        "rounded to 2 significant digits: trainable",
    ],
    "37B": ["37B is published for deepseek-v3, active parameters"],
    "36,625,603,584": ["36,625,603,584 is active parameters per token (head-only)"],
}


@pytest.mark.parametrize("number", KNOWN)
def test_a_known_number_is_explained_without_python(static_page, number):
    static_page.open(f"number.html#n={number}")
    static_page.settle()
    lines = static_page.text("#answer").splitlines()
    assert [line for line in lines if line][: len(KNOWN[number])] == KNOWN[number]
    static_page.page.click("#answer a >> text=Search all ways of counting")
    said = "Starting Python, then searching the ways of counting of 238 models …"
    static_page.page.wait_for_selector(f"#status:has-text('{said}')")


def test_configurations_are_compared(differences):
    """The titles say which is which, and the answer that only sizes differ."""
    files = [json.dumps({"model_type": "qwen3", "num_hidden_layers": n}) for n in (36, 28)]
    differences.page.goto(f"{differences.address}difference.html#")
    differences.drop(files[1], "config.json", onto="[name=b]")
    differences.page.wait_for_selector("#answer:has-text('Model A is missing')")
    differences.page.fill("[name=a]", files[0])
    differences.page.press("[name=a]", "Enter")
    differences.page.wait_for_selector("#total")
    totals = [resolve(json.loads(one)).inventory().total() for one in files]
    assert differences.text("#total") == f"−{totals[0] - totals[1]:,}"
    assert "same formula; the sizes differ: L 36 → 28" in differences.text("#answer")
    titles = differences.page.locator("#models tbody th").all_inner_texts()
    pasted = "{}: pasted qwen3, {} layers, 4,096 wide"
    assert titles == [pasted.format("A", 36), pasted.format("B", 28)]


def test_two_models_side_by_side(differences, paramproof):
    differences.state("difference.html", a="bert-base", b="gpt2")
    rows = differences.page.locator("#components tbody tr")
    shown = [[cell.strip() for cell in row.split("\t")] for row in rows.all_inner_texts()]
    said = paramproof("diff", "bert-base", "gpt2").stdout.splitlines()
    printed = [folded(line) for line in said]
    for path, first, other, difference, *parts in shown:
        assert folded(" ".join([path, first, other, difference])) in printed
        assert folded(" ".join([path, *parts])) in printed
    assert differences.text("#total") == "+14,957,568"
    # Bars that are too short to be seen are left out, and the total has none.
    assert 3 < differences.page.locator("#answer .bars .bar-b").count() < len(shown)
    differences.state("difference.html", a="bert-base", b="nope")
    assert differences.problem.startswith("Model B: no model, model type or class is named 'nope'")
    differences.state("difference.html", a="bert-bse", b="gpt2")
    differences.asking(differences.page.click, "#problem a >> text=bert-base-uncased")
    assert differences.page.url.endswith("#a=bert-base-uncased&b=gpt2")


def test_the_frameworks_are_filtered(static_page):
    _, cells = recorded()
    static_page.open("frameworks.html")
    everything = static_page.page.locator("[data-row]").count()
    rows = static_page.page.locator("[data-row]:visible")
    assert rows.count() == 0 < static_page.page.locator(".pitfalls li b").count()
    static_page.open("frameworks.html#component=pooler&framework=keras-bert")
    own = {c.row for c in cells if c.framework == "keras-bert" and "pooler" in str(c.components)}
    assert 0 < len(own) < everything
    assert {text.split()[0] for text in rows.all_inner_texts()} == own
    static_page.page.select_option("[name=component]", "")
    static_page.page.fill("[name=q]", "gelu tanh")
    assert rows.all_inner_texts()
    assert all("tanh" in text for text in rows.all_inner_texts())
    assert static_page.page.url.endswith("#q=gelu+tanh&framework=keras-bert")


def test_the_list_links_to_every_model(static_page, site):
    static_page.open("index.html")
    links = static_page.page.eval_on_selector_all(
        "main a", "all => all.map((one) => one.getAttribute('href'))"
    )
    files = {f"models/{file.name}" for file in (site / "models").iterdir()}
    assert files <= set(links)
    static_page.page.fill("[name=q]", "deepseek")
    shown = static_page.page.locator("[data-row]:visible").all_inner_texts()
    assert shown
    assert all("deepseek" in text for text in shown)


def test_the_list_says_when_nothing_matches(static_page):
    for path in ("index.html", "frameworks.html"):
        static_page.open(path)
        assert not static_page.page.is_visible("#nothing")
        static_page.page.fill("[name=q]", "no such thing")
        assert static_page.page.inner_text("#nothing") == "Nothing matches."
        static_page.page.fill("[name=q]", "bias")
        assert static_page.page.is_visible("#nothing") is (path == "index.html")


def test_a_filter_finds_model_types_too(static_page):
    static_page.open("index.html#q=qwen3_vl")
    assert static_page.page.is_visible("#types a >> text=qwen3_vl_moe >> nth=0")
    static_page.page.fill("[name=q]", "")
    assert not static_page.page.is_visible("#types a >> nth=0")


def test_the_list_is_sorted(static_page):
    listed = "all => all.map((one) => ({ ...one.dataset }))"

    def order():
        return static_page.page.eval_on_selector_all(".models tbody tr", listed)

    static_page.open("index.html")
    years = [int(one["year"]) for one in order()]
    assert years[0] >= 2025
    assert years == sorted(years, reverse=True)
    static_page.page.select_option("[name=sort]", "size")
    sizes = [int(one["size"]) for one in order()]
    assert sizes == sorted(sizes, reverse=True)
    assert static_page.page.url.endswith("#sort=size")
    static_page.page.select_option("[name=sort]", "name")
    names = [one["name"] for one in order()]
    assert names.index("gemma-2-9b") < names.index("gemma-2-27b") < names.index("gpt2")
    static_page.open("index.html#sort=family&q=qwen")
    families = [one["family"] for one in order()]
    assert families == sorted(families)
    assert static_page.page.locator(".models tbody tr:visible").count() > 5


def test_four_models_side_by_side(differences):
    names = ("deepseek-v3", "kimi-k2", "gpt-oss-120b", "gpt2")
    differences.state("difference.html", **dict(zip("abcd", names, strict=True)))
    assert differences.text("#answer").startswith("A and B have the same formula; the sizes differ")
    rows = differences.page.locator("#models tbody tr").all_inner_texts()
    for letter, name, shown in zip("ABCD", names, rows, strict=True):
        total = resolve(name).inventory().total()
        assert shown.split("\t")[:2] == [f"{letter}: {name}", f"{total:,}"]
    components = differences.page.locator("#components tbody tr").all_inner_texts()
    numbers = [row.replace(",", "").split("\t")[1:] for row in components]
    *parts, totals = [[int(one) if one != "-" else 0 for one in row] for row in numbers]
    assert [sum(column) for column in zip(*parts, strict=True)] == totals
    assert totals == [resolve(name).inventory().total() for name in names]
    sizes = differences.page.locator("#sizes tbody tr").all_inner_texts()
    assert "num_hidden_layers\t61\t61\t36\t12" in sizes


def test_a_model_as_one_file(browser, paramproof, tmp_path):
    file = tmp_path / "page.html"
    assert paramproof("count", "mixtral-8x7b", "--html", str(file)).returncode == 0
    context = browser.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.inner_text("#total") == "46,702,792,704"
    where = page.locator("#picture p:visible")
    assert where.inner_text() == "total"
    page.locator("#picture a.cell[aria-label^=experts]:visible").click()
    assert where.inner_text().startswith("total › model.layers › 32 layers › mlp › experts: ")
    where.locator("a").first.click()
    assert where.inner_text() == "total"
    assert {url.partition("#")[0] for url in asked} == {file.as_uri()}
    context.close()
