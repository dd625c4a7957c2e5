"""Answer the requests of a page: from a view and its state, make parts of HTML or an error line.

The state is that of a link: texts by name. None of them is read as a path, and no files are read
except those of this package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from paramproof.bytes import require_dtype
from paramproof.explanation.answer import lines
from paramproof.explanation.number import WrittenNumber, read
from paramproof.explanation.search import explained
from paramproof.formulas.errors import NotInCatalogue, UnknownName
from paramproof.formulas.models import model_names
from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible
from paramproof.pages.model import DTYPE, dtype_of, form, parts, title
from paramproof.pages.picture import picture
from paramproof.pages.side_by_side import LETTERS, difference
from paramproof.pages.viewing import View, at_sizes, choices, fields_of
from paramproof.resolver import Model, request_for_name, resolve
from paramproof.sources.strict_json import MAX_FILE_BYTES, object_in_text
from paramproof.views.conventions import DEFAULT
from paramproof.views.html import Html, joined, tag

State = Mapping[str, str]

KEYS = ("model", "config", "class", "under", "dtype", "at")
"""The keys of a state that are not letters."""


def answer(request: str) -> str:
    """Return the answer to ``{"view": …, "state": {…}}``, both as JSON.

    It has ``parts``, HTML by the id of its element, or a ``problem``, which is one line of text.
    """
    question = json.loads(request)
    try:
        found = VIEWS[question["view"]](question["state"])
    except (ValueError, ArithmeticError) as error:
        # Without the command that the terminal would suggest.
        said = error.reason if isinstance(error, UnknownName | NotInCatalogue) else str(error)
        line = legible(" ".join(said.split()), MAX_MESSAGE_SHOWN)
        found = {"problem": line or "no answer was found"}
    return json.dumps(found, ensure_ascii=False)


def model(state: State) -> dict[str, Any]:
    key = [state.get(name, "") for name in KEYS[:3]]
    under = state.get("under") or DEFAULT
    own = _model(*key)
    published = dtype_of(own)
    dtype = require_dtype(state.get("dtype") or published or DTYPE)
    resized = at_sizes(own, {name: size for name, size in state.items() if name not in KEYS})
    view = _view(*key, under)
    view = view if resized is own else view.resized(resized)
    allowed = choices(own, resized)
    controls = form(own, resized, under, dtype, allowed)
    drawn = picture(view, state.get("at", ""))
    return {
        "title": title(own),
        "parts": {**parts(view, dtype, published), "controls": controls, "picture": drawn},
        "choices": allowed,
        "chosen": {"under": under, "dtype": dtype},
        "own": {name: str(own.sizes[name]) for name in fields_of(own)},
    }


def number(state: State) -> dict[str, Any]:
    wanted = read(state.get("n", ""))
    key = [state.get(name, "") for name in KEYS[:3]]
    one = _model(*key) if any(key[:2]) else None
    return {"title": str(wanted), "parts": {"answer": explanations(wanted, one)}}


def several(state: State) -> dict[str, Any]:
    names = [state.get(name, "") for name in LETTERS]
    # The first two are needed; an empty field is not a model.
    models = [_model(name, "", "") for place, name in enumerate(names) if name or place < 2]
    return {"title": ", ".join(map(title, models)), "parts": {"answer": difference(models)}}


VIEWS: dict[str, Callable[[State], dict[str, Any]]] = {
    "model": model,
    "number": number,
    "difference": several,
}


@lru_cache(maxsize=16)
def _model(name: str, config: str, class_name: str) -> Model:
    """Return the model of a configuration, or of a name, a model type or a class."""
    if config := config or (name if name.startswith("{") else ""):
        if len(config) > MAX_FILE_BYTES:
            raise ValueError(f"the configuration is longer than {MAX_FILE_BYTES:,} characters")
        return resolve(object_in_text(config, "the configuration"), class_name)
    return resolve(request_for_name(name), class_name)


def forget() -> None:
    """Forget the models of earlier requests, and keep what all answers need."""
    _model.cache_clear()
    _view.cache_clear()


@lru_cache(maxsize=32)
def _view(name: str, config: str, class_name: str, under: str) -> View:
    view = View(_model(name, config, class_name), under)
    _ = view.named
    return view


def explanations(wanted: WrittenNumber, model: Model | None) -> Html:
    """Return the explanations of a number, by one model or by all named ones.

    Formulas are code, and each name of a model links to the model.
    """
    found = [*lines(explained(wanted, model), width=10**6)]  # The browser wraps them.
    if model and model.class_name:
        found += ["", *model.origin()]
    known, blocks = {*model_names()}, []
    for block in "\n".join(found).split("\n\n"):
        shown = []
        for line in block.split("\n"):
            bare = line.lstrip()
            words = (
                tag("a", one, href=f"model.html#model={one}") if one in known else one
                for one in re.split(r"([\w.-]*\w)", bare)
            )
            inside = tag("code", bare) if bare.startswith("=") else joined(*words)
            shown.append(tag("p", inside, class_=f"i{len(line) - len(bare)}"))
        blocks.append(tag("div", *shown, class_="block"))
    return joined(*blocks)
