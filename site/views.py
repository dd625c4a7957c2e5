"""The pages other than those of named models: their forms, and the elements for answers.

The scripts of the pages fill the elements; the page of framework differences has its answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from paramproof.catalogue import model_types
from paramproof.differences.answer import FACTS, Answer, Section, recorded, versions_text
from paramproof.formulas.models import model_names
from paramproof.pages.document import main
from paramproof.pages.model import frame
from paramproof.views.html import Html, breakable, html_table, joined, lines, path, tag
from paramproof.views.published import every_named_model, published_table
from paramproof.views.table import Column, Table, TableRow

NO_SCRIPT = tag(
    "noscript",
    tag(
        "p",
        "This page needs JavaScript. Without it, the pages of the named models still show their "
        "numbers; for everything else, use the command ",
        tag("code", "paramproof"),
        ".",
    ),
)

CONFIG = (
    '{"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096, '
    '"intermediate_size": 12288, "num_attention_heads": 32, "num_key_value_heads": 8, '
    '"head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": false, "dtype": "bfloat16"}'
)
"""The configuration that a reader can try."""

ASK_EXAMPLES = {
    "deepseek-v3": "models/deepseek-v3.html",
    "a config.json": f"model.html#config={CONFIG}",
    "110M": "number.html#n=110M",
}
NUMBERS = ("2,362,368", "110M", "37B", "438MB")
COMPARISONS = (
    ("llama-3.1-8b", "qwen3-8b"),
    ("bert-base", "gpt2"),
    ("deepseek-v3", "kimi-k2", "gpt-oss-120b", "qwen3-235b-a22b"),
)

SHOWN = ("model", "parameters", "active", "published", "verdict", "year", "family")
"""The columns of the list."""

ORDERS = {"": "newest first", "size": "largest first", "name": "name", "family": "family"}
"""How the list can be sorted, by the value in a link."""


def index_view() -> Html:
    """Return the start page: the field, and a list of the named models and the model types."""
    newest = sorted(every_named_model(), key=lambda pair: (-(pair[0].year or 0), pair[0].name))
    models = published_table(newest, *SHOWN)
    types = (
        tag("li", tag("a", breakable(one), href=f"model.html#model={one}"), data_row=True)
        for one in model_types()
    )
    return main(
        "How many parameters?",
        _ask(),
        tag("h2", f"{len(newest)} named models"),
        _filter(_select("sort", "Sort by", ORDERS)),
        tag("p", "Nothing matches.", id="nothing", role="status", hidden=True),
        html_table(
            "Trainable parameters, those that are active per token, and published numbers",
            models,
            first=_link,
            attributes_of=[_data(row) for row in models.rows],
            class_="models",
        ),
        tag(
            "details",
            tag("summary", f"{len(model_types())} model types of Hugging Face transformers"),
            tag("p", "At the default sizes of their configurations.", class_="note"),
            tag("ul", *types, class_="types"),
            id="types",
        ),
    )


def _data(row: TableRow) -> dict[str, object]:
    """Return what the script sorts and filters by."""
    name, parameters, _, _, _, year, family = row.cells
    return {
        "data_row": True,
        "data_size": parameters,
        "data_name": name,
        "data_year": year or 0,
        "data_family": family,
    }


def _link(row: TableRow) -> Html:
    name = row.cells[0]
    return tag("a", breakable(name), href=f"models/{name}.html")


def model_view() -> Html:
    """Return the page for any other model: a type, a class, or a configuration."""
    return main("Model", NO_SCRIPT, _ask(), frame({}))


def number_view() -> Html:
    number = _field("n", "Number, such as 2,362,368 or 110M", None)
    model = _field("model", "Model (optional)")
    examples = ((one, f"#n={one.replace(',', '')}") for one in NUMBERS)
    return main("Explain a number", *_form("Explain", number, model, examples=examples))


def difference_view() -> Html:
    models = [_field(one, f"Model {one.upper()}") for one in "ab"]
    models += [_field(one, f"Model {one.upper()} (optional)") for one in "cd"]
    examples = (
        (
            ", ".join(names),
            "#" + "&".join(f"{letter}={name}" for letter, name in zip("abcd", names, strict=False)),
        )
        for names in COMPARISONS
    )
    return main("Compare models", *_form("Compare", *models, examples=examples))


def about_view(docs: str = "") -> Html:
    """Return the page on the project: what it is, why to believe it, where the rest is.

    ``docs`` is the path to the documentation, "" if that is not beside the site.
    """
    text = Path(__file__).with_name("about.html").read_text("utf-8")
    documentation = str(lines(_documentation(docs)))
    return main("About paramproof", Html(text.format(documentation=documentation)))


def _documentation(docs: str) -> Iterable[object]:
    if not docs:
        yield "The folder docs of the source has all pages; start with docs/README.md."
        return
    for label, file in {
        "All pages": "index",
        "What each kind of evidence covers, and what it cannot see": "evidence",
        "How a formula is derived": "derive",
        "Ways of counting": "conventions",
        "Published numbers": "published",
    }.items():
        yield tag("a", label, href=f"{docs}{file}.html")


def _field(name: str, label: str, known: str | None = "known") -> Html:
    return tag("label", label, " ", tag("input", name=name, autocomplete="off", list=known))


def _form(button: str, *fields: Html, examples: Iterable[tuple[str, str]]) -> tuple[Html, ...]:
    """Return a form with a button, examples to click, and the element for its answer."""
    form = tag("form", *fields, tag("button", button), _known(), id="question")
    return NO_SCRIPT, form, _examples(examples), tag("div", id="answer", aria_live="polite")


def _known() -> Html:
    known = dict.fromkeys([*model_names(), *model_types()])
    return tag("datalist", *(tag("option", value=one) for one in known), id="known")


def _examples(examples: Iterable[tuple[str, str]]) -> Html:
    links = (tag("a", label, href=href) for label, href in examples)
    return tag("p", "Try: ", *links, class_="examples")


def _filter(*choices: Html) -> Html:
    search = tag("label", "Filter ", tag("input", name="q", type="search"))
    return tag("form", search, *choices, id="filter", role="search")


def _select(name: str, label: str, values: Mapping[str, str]) -> Html:
    options = (tag("option", shown, value=value) for value, shown in values.items())
    return tag("label", f"{label} ", tag("select", *options, name=name))


def _ask() -> Html:
    """Return the field that takes whatever a reader has."""
    return tag(
        "form",
        tag(
            "label",
            "A model, a model type, a config.json or a number",
            tag("input", name="what", autocomplete="off", list="known", spellcheck="false"),
        ),
        tag("button", "Count"),
        _known(),
        _examples(ASK_EXAMPLES.items()),
        tag("p", "Paste a config.json, or drop one anywhere on the page.", class_="note"),
        id="ask",
    )


SECTIONS: dict[Section, str] = {
    "shapes": "Tensors",
    "defaults": "Defaults",
    "counts": "Counts",
}
"""The title of each section."""

COMPONENTS = (
    "embeddings",
    "attention",
    "feed_forward",
    "layer_norm",
    "pooler",
    "mlm_head",
    "nsp_head",
)


def frameworks_view() -> Html:
    """Return the page with every answer; frameworks that agree share a row."""
    versions, cells = recorded()
    said = versions_text(versions.values())
    return main(
        "How the frameworks differ",
        tag("p", f"Every answer was found by running the framework itself: {said}."),
        _filter(
            _select("component", "Component", _or_all(COMPONENTS)),
            _select("framework", "Framework", _or_all(sorted({one.framework for one in cells}))),
        ),
        tag("p", "Nothing matches.", id="nothing", role="status", hidden=True),
        *(_section(name, cells) for name in SECTIONS),
    )


def _or_all(values: Iterable[str]) -> dict[str, str]:
    return {"": "all", **{one: one for one in values}}


def _section(name: Section, cells: list[Answer]) -> Html:
    heading = SECTIONS[name]
    facts = [replace(fact, form=breakable) for fact in FACTS[name]]
    same: dict[tuple[str, ...], list[Answer]] = {}
    for cell in cells:
        if cell.section == name:
            key = (cell.row, *(cell.facts[fact.key] for fact in facts))
            same.setdefault(key, []).append(cell)
    groups = [group for _, group in sorted(same.items(), key=lambda pair: pair[0][0])]
    columns = (Column("question"), Column("frameworks"), *facts)
    table = Table.of(columns, (_row(same, facts) for same in groups))
    shown = html_table(heading, table, attributes_of=[*map(_answer_data, groups)], class_="answers")
    return tag("details", tag("summary", tag("h2", heading), f" {len(groups)} rows"), shown)


def _row(same: list[Answer], facts: Iterable[Column]) -> TableRow:
    first = same[0]
    names = ", ".join(cell.framework for cell in same)
    question = joined(path(first.row), " ", first.what)
    return TableRow((question, names, *(first.facts[fact.key] for fact in facts)))


def _answer_data(same: list[Answer]) -> dict[str, object]:
    """Return what the script filters by."""
    paths = [path for cell in same for path in cell.components]
    about = [one for one in COMPONENTS if any(one in path for path in paths)]
    return {
        "data_row": True,
        "data_component": " ".join(about),
        "data_framework": " ".join(cell.framework for cell in same),
    }
