"""The pages other than those of named models: their forms, and the elements for answers."""

from __future__ import annotations

from paramproof.catalogue import model_types
from paramproof.counting.published import verdict_on
from paramproof.formulas.models import model_names, named_configurations, named_models
from paramproof.pages.document import main
from paramproof.pages.markup import Html, row, table, tag
from paramproof.pages.model import frame
from paramproof.resolver import resolve

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


def index_view() -> Html:
    """Return the page with every named model, every model type, and a form for a configuration."""
    published = {**named_models(), **named_configurations()}
    rows = []
    for name, one in published.items():
        model = resolve(name)
        number = f"{one.published}{f' for {one.component}' if one.component else ''}"
        verdict = verdict_on(one, model).text
        link = tag("a", name, href=f"models/{name}.html")
        rows.append(row(link, f"{model.inventory().total():,}", number, verdict, data_row=True))
    types = (
        tag("li", tag("a", one, href=f"model.html#model={one}"), data_row=True)
        for one in model_types()
    )
    heads = ["model", "parameters", "published", "verdict"]
    return main(
        "How many parameters?",
        tag("p", "Exact parameter counts of transformers, by formulas checked against frameworks."),
        _paste(),
        tag("h2", "Named models"),
        _filter(),
        table("Trainable parameters, and published numbers", heads, rows, class_="n2"),
        tag("h2", "Model types of Hugging Face transformers, at their default sizes"),
        tag("ul", *types, class_="types"),
    )


def model_view() -> Html:
    """Return the page for any other model: a type, a class, or a configuration."""
    return main("Model", NO_SCRIPT, _paste(), frame({}))


def number_view() -> Html:
    """Return the page that explains a number, by all named models or by one model."""
    number = _field("n", "Number, such as 2,362,368 or 110M", None)
    model = _field("model", "Model (optional)")
    return main("Explain a number", *_form("Explain", number, model))


def difference_view() -> Html:
    """Return the page that compares two models."""
    models = _field("a", "Model A"), _field("b", "Model B")
    return main("Compare two models", *_form("Compare", *models))


def _field(name: str, label: str, known: str | None = "known") -> Html:
    return tag("label", label, " ", tag("input", name=name, autocomplete="off", list=known))


def _form(button: str, *fields: Html) -> tuple[Html, ...]:
    """Return a form with a button, and the element for its answer."""
    known = dict.fromkeys([*model_names(), *model_types()])
    options = tag("datalist", *(tag("option", value=one) for one in known), id="known")
    form = tag("form", *fields, tag("button", button), options, id="question")
    return NO_SCRIPT, form, tag("div", id="answer", aria_live="polite")


def _filter() -> Html:
    search = tag("label", "Filter ", tag("input", name="q", type="search"))
    return tag("form", search, id="filter", role="search")


def _paste() -> Html:
    return tag(
        "details",
        tag("summary", "Paste or drop a config.json"),
        tag(
            "form",
            tag(
                "label",
                "Configuration (it stays in this browser)",
                tag("textarea", id="config", name="config"),
            ),
            tag("button", "Count"),
            id="paste",
        ),
    )
