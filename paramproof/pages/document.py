"""Whole documents: the pages of the site, and the page of a model as a single file."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from paramproof.pages.markup import filled
from paramproof.pages.model import sections, title
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.conventions import DEFAULT
from paramproof.views.html import Html, joined, tag

VIEWS = {
    "index": "Models",
    "number": "Explain a number",
    "difference": "Compare models",
    "frameworks": "Frameworks",
    "about": "About",
}
"""The pages that every page links to."""

PURPOSE = (
    "paramproof counts the parameters of transformers exactly, and derives the formula behind each "
    "number. It runs in your browser: what you type, paste or drop is not sent anywhere."
)

ONLY_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The policy of all pages: load nothing from other hosts, and run no inline scripts."""


def page(
    title: str, view: str, body: Html, *, root: str = "", model: str = "", docs: str = ""
) -> str:
    """Return a page of the site.

    ``root`` is the path to its folder, ``model`` the model shown, and ``docs`` the path from the
    folder to the documentation, "" if the site has none next to it.
    """
    links = (
        tag("a", label, href=f"{root}{file}.html", aria_current="page" if file == view else None)
        for file, label in VIEWS.items()
    )
    own = {"title": title, "view": view, "main": body, "root": root, "model": model}
    documentation = f"{docs}index.html" if docs else "about.html#documentation"
    own |= {"links": joined(*links), "documentation": documentation}
    return filled("site", **own, policy=ONLY_OURS, purpose=PURPOSE) + "\n"


def model_page(model: Model, root: str, docs: str = "") -> str:
    """Return the page of a named model, whose numbers can be read without a script."""
    view = View(model)
    body = main(title(model), sections(view, live=True))
    return page(_title(view), "model", body, root=root, model=model.name, docs=docs)


def model_file(model: Model, under: str = DEFAULT, dtype: str = "") -> str:
    """Return the page of a model as one file, which needs no other file, network or script.

    ``dtype`` defaults to the precision in which the model is published.
    """
    view = View(model, under)
    style = Path(__file__).with_name("static").joinpath("style.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    body = main(title(model), sections(view, dtype, live=False))
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return filled("file", title=_title(view), policy=policy, style=Html(style), main=body) + "\n"


def _title(view: View) -> str:
    return f"{title(view.model)}: {view.number:,} parameters"


def main(heading: str, *content: object) -> Html:
    """Return the heading and content of a page, with an element for error messages."""
    problem = tag("p", "", id="problem", role="alert")
    return tag("main", tag("h1", heading, id="title"), problem, *content, id="main")
