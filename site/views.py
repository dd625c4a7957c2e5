"""The pages other than those of named models: their forms, and the elements for answers."""

from __future__ import annotations

from collections.abc import Iterable

from paramproof.catalogue import model_types
from paramproof.formulas.models import model_names
from paramproof.pages.document import main
from paramproof.pages.model import frame
from paramproof.views.html import Html, breakable, html_table, joined, lines, tag
from paramproof.views.published import every_named_model, published_table
from paramproof.views.table import TableRow

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

EVIDENCE = {
    "Written by hand, twice": "The formulas of BERT, GPT-2, LLaMA and the first transformer are "
    "written twice, as a list of tensors and as one polynomial, and both must be equal. They are "
    "compared, tensor by tensor, with random and real models in every framework that builds them.",
    "Proved": "The formulas of all other model types are derived from the code of Hugging Face "
    "transformers, which runs with symbolic sizes. A formula is proved if every shape and every "
    "number of layers was traced through that code. It is also compared with 20 or more models "
    "that were not used to find it.",
    "Fitted": "If a size was lost while the code was traced, the formula is fitted to models that "
    "transformers builds, and the page lists the reasons. It is compared with models that were not "
    "used to find it, too.",
    "Published": "A published number is shown as its source prints it, right or wrong, and the "
    "verdict names the way of counting and the rounding that give it. The verdict says so if none "
    "does.",
}


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
        _filter(),
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
    """Return the page that explains a number, by all named models or by one model."""
    number = _field("n", "Number, such as 2,362,368 or 110M", None)
    model = _field("model", "Model (optional)")
    examples = ((one, f"#n={one.replace(',', '')}") for one in NUMBERS)
    return main("Explain a number", *_form("Explain", number, model, examples=examples))


def difference_view() -> Html:
    """Return the page that compares two to four models."""
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
    wheel = tag("a", "the Python package that runs on this site", href="paramproof.whl")
    return main(
        "About paramproof",
        tag(
            "p",
            "paramproof says how many parameters a transformer has, and where they are. It knows "
            "the named models of this site, and more than 500 model types of Hugging Face "
            "transformers by their config.json. Every number comes from a formula, which is on the "
            "page of the model.",
        ),
        tag(
            "p",
            "Python and the formulas run in your browser. What you type, paste or drop is not "
            "sent anywhere: it is behind the # of the address, which no server receives.",
        ),
        tag("h2", "How do you know?", id="evidence"),
        tag(
            "dl", *(joined(tag("dt", k), tag("dd", v)) for k, v in EVIDENCE.items()), class_="terms"
        ),
        tag("h2", "Documentation", id="documentation"),
        lines(_documentation(docs)),
        tag("h2", "Source and licence", id="source"),
        tag(
            "p",
            "The source is ",
            wheel,
            ": a zip file with every formula and all data. Its licence is the ",
            tag("a", "MIT licence", href="licence.txt"),
            ".",
        ),
    )


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


def _filter() -> Html:
    search = tag("label", "Filter ", tag("input", name="q", type="search"))
    options = (tag("option", label, value=value) for value, label in ORDERS.items())
    order = tag("label", "Sort by ", tag("select", *options, name="sort"))
    return tag("form", search, order, id="filter", role="search")


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
