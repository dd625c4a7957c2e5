"""tests/libraries/README.md: what other libraries build, compared with the catalogue's formulas."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

from docs.writers.blocks import PAGES, figures, place
from sweep.witnesses.__main__ import known
from sweep.witnesses.comparison import all_causes
from sweep.witnesses.keras_hub import expected

PAGE = "libraries"
FOLDER = PAGES[PAGE].parent
SETS = ("fixed", "diffusers", "timm")


def stored(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / f"{name}.jsonl").read_text("utf-8")
    return [*map(json.loads, text.splitlines())]


def _compared(constructors: list[dict[str, Any]]) -> tuple[int, int]:
    """Return how many models of constructors were compared, and how many differ."""
    every = sum(one.get("compared", 0) for one in constructors)
    return every, sum(len(one.get("wrong", ())) for one in constructors)


@place("totals", PAGE, "evidence")
def totals() -> str:
    """Return how many models of each library are equal, explained, and neither."""
    data = known()
    rows: list[tuple[str, int, int, int]] = []
    for library, one in data.items():
        # A difference without an explanation is never recorded.
        built, equal = (sum(of[key] for of in one["types"].values()) for key in ("built", "equal"))
        rows.append((f"{library}, random sizes of {len(one['types'])} types", built, equal, 0))
    files = data["mlx-lm"]["files"]
    equal = sum("causes" not in one for one in files)
    rows.append(("mlx-lm, public configurations", len(files), equal, 0))
    presets = Counter(
        expected(name, preset) == number
        for name, one in data["keras-hub"]["presets"].items()
        for preset, number in one.items()
    )
    what = "keras-hub, published counts of presets"
    rows.append((what, presets.total(), presets[True], presets[False]))
    every = [one for name in SETS for one in stored(name)]
    both, wrong = _compared(every)
    what = f"seven others, formulas of {len(every)} constructors"
    rows.append((what, both, both - wrong, wrong))
    cells = ((what, of, same, of - same - wrong, wrong) for what, of, same, wrong in rows)
    return figures(["", "compared", "equal", "explained by causes", "not explained"], cells)


@place("versions", PAGE)
def versions() -> str:
    found = {name: one for data in known().values() for name, one in data["versions"].items()}
    return ", ".join(f"{name} {version}" for name, version in sorted(found.items()))


@place("causes", PAGE)
def causes() -> str:
    """Return every cause with the model types and the models whose difference it explains."""
    types, models = defaultdict[str, set[str]](set), Counter[str]()
    for data in known().values():
        for name, one in data["types"].items():
            for cause, formulas in one["causes"].items():
                types[cause].add(name)
                models[cause] += sum(formulas.values())
    for one in known()["mlx-lm"]["files"]:
        models.update([*one.get("causes", ())])
    rows = (
        (name, "yes" if one.get("is_mistake") else "", len(types[name]), models[name])
        for name, one in all_causes().items()
    )
    return figures(["cause", "mistake", "model types", "models"], rows)


@place("constructors", PAGE)
def constructors() -> str:
    by_library = defaultdict[str, list[dict[str, Any]]](list)
    for one in (one for name in SETS for one in stored(name)):
        by_library[one["name"].partition(".")[0]].append(one)
    rows = []
    for library, found in by_library.items():
        status = Counter(one["status"] for one in found)
        proved, fitted = status["proved"], status["fitted"]
        neither = len(found) - proved - fitted
        rows.append((library, len(found), proved, fitted, neither, *_compared(found)))
    heads = ["library", "constructors", "proved", "fitted", "no formula", "compared", "differ"]
    return figures(heads, rows)
