"""The pages that are no named model's: what they ask for, and where answers are put."""

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
    tag("p", "Without JavaScript: the pages of the models say their numbers, and the command "),
    tag("p", tag("code", "paramproof"), " answers the rest."),
)


def index_view() -> Html:
    """Every model that has a name with its number, every model type, and a place to paste."""
    published = {**named_models(), **named_configurations()}
    rows = []
    for name, one in published.items():
        model = resolve(name)
        said = f"{one.published}{f' for {one.component}' if one.component else ''}"
        verdict = verdict_on(one, model).text
        link = tag("a", name, href=f"models/{name}.html")
        rows.append(row(link, f"{model.inventory().total():,}", said, verdict, data_row=True))
    types = (
        tag("li", tag("a", one, href=f"model.html#model={one}"), data_row=True)
        for one in model_types()
    )
    heads = ["model", "parameters", "published", "verdict"]
    return main(
        "How many parameters?",
        tag("p", "Exact numbers of transformers, by formulas that are held to real frameworks."),
        _paste(),
        tag("h2", "Models that have names"),
        _filter(),
        table("Trainable parameters, and what is published", heads, rows, class_="n2"),
        tag("h2", "Model types of Hugging Face transformers, at their default sizes"),
        tag("ul", *types, class_="types"),
    )


def model_view() -> Html:
    """Any other model: a type, a class, or a configuration."""
    return main("A model", NO_SCRIPT, _paste(), frame({}))


def number_view() -> Html:
    """A number, and perhaps a model."""
    number = _field("n", "number, such as 2,362,368 or 110M", None)
    return main("Where a number comes from", *_asking(number, _field("model", "model, if known")))


def difference_view() -> Html:
    """Two models."""
    return main("Two models", *_asking(_field("a", "A"), _field("b", "B")))


def _field(name: str, said: str, known: str | None = "known") -> Html:
    return tag("label", said, " ", tag("input", name=name, autocomplete="off", list=known))


def _asking(*fields: Html) -> tuple[Html, ...]:
    """Return the form, and the place for its answer."""
    known = dict.fromkeys([*model_names(), *model_types()])
    options = tag("datalist", *(tag("option", value=one) for one in known), id="known")
    form = tag("form", *fields, tag("button", "ask"), options, id="question")
    return NO_SCRIPT, form, tag("div", id="answer", aria_live="polite")


def _filter() -> Html:
    search = tag("label", "show those with ", tag("input", name="q", type="search"))
    return tag("form", search, id="filter", role="search")


def _paste() -> Html:
    return tag(
        "details",
        tag("summary", "paste or drop a config.json"),
        tag(
            "form",
            tag(
                "label",
                "A configuration; it stays in this browser.",
                tag("textarea", id="config", name="config"),
            ),
            tag("button", "count"),
            id="paste",
        ),
    )
