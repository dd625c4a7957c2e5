"""docs/libraries.md: what other libraries build, compared with the catalogue's formulas."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

from docs.writers.blocks import DOCS, place
from paramproof.views.table import markdown_rows
from sweep.witnesses.__main__ import known
from sweep.witnesses.comparison import all_causes
from sweep.witnesses.keras_hub import expected

PAGE = "libraries"
SETS = ("fixed", "diffusers", "timm")
NUMBERS = ["---", "---:", "---:", "---:", "---:"]


def stored(name: str) -> list[dict[str, Any]]:
    lines = (DOCS / f"libraries-{name}.jsonl").read_text("utf-8").splitlines()
    return list({one["name"]: one for one in map(json.loads, lines)}.values())


def _counts(types: dict[str, Any]) -> tuple[int, int]:
    built, equal = (sum(one[key] for one in types.values()) for key in ("built", "equal"))
    return built, equal


@place("totals", PAGE)
def totals() -> str:
    """Return how many models of each library are equal, explained, and neither."""
    data = known()
    rows: list[tuple[str, int, int, int]] = []
    for library, one in data.items():
        # A difference without an explanation is never recorded.
        built, equal = _counts(one["types"])
        rows.append((f"{library}, random sizes of {len(one['types'])} types", built, equal, 0))
    verdicts = Counter(one["verdict"] for one in data["mlx-lm"]["files"])
    equal, wrong = verdicts["equal"], verdicts["unexplained"]
    both = equal + verdicts["explained"] + wrong
    rows.append(("mlx-lm, public configurations", both, equal, wrong))
    presets = [
        expected(name, preset) == number
        for name, one in data["keras-hub"]["presets"].items()
        for preset, number in one.items()
    ]
    equal, wrong = presets.count(True), presets.count(False)
    rows.append(("keras-hub, published counts of presets", len(presets), equal, wrong))
    every = [one for name in SETS for one in stored(name)]
    both, wrong = (sum(_number(one.get(key)) for one in every) for key in ("compared", "wrong"))
    what = f"seven others, formulas of {len(every)} constructors"
    rows.append((what, both, both - wrong, wrong))
    cells = (
        [what, *(f"{one:,}" for one in (of, same, of - same - wrong, wrong))]
        for what, of, same, wrong in rows
    )
    heads = ["", "compared", "equal", "explained by causes", "not explained"]
    return markdown_rows(heads, cells, NUMBERS)


def _number(value: Any) -> int:
    return len(value or ()) if not isinstance(value, int) else value


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
        [name, "yes" if one.get("is_mistake") else "", f"{len(types[name])}", f"{models[name]:,}"]
        for name, one in all_causes().items()
    )
    return markdown_rows(
        ["cause", "mistake", "model types", "models"], rows, ["---"] * 2 + ["---:"] * 2
    )


@place("constructors", PAGE)
def constructors() -> str:
    every = [one for name in SETS for one in stored(name)]
    rows = []
    for library in dict.fromkeys(one["name"].partition(".")[0] for one in every):
        found = [one for one in every if one["name"].startswith(f"{library}.")]
        status = Counter(one["status"] for one in found)
        proved, fitted = status["proved"], status["fitted"]
        sums = [sum(_number(one.get(key)) for one in found) for key in ("compared", "wrong")]
        numbers = (len(found), proved, fitted, len(found) - proved - fitted, *sums)
        rows.append([library, *(f"{one:,}" for one in numbers)])
    heads = ["library", "constructors", "proved", "fitted", "no formula", "compared", "differ"]
    return markdown_rows(heads, rows, ["---"] + ["---:"] * 6)
