"""docs/libraries.md: what other libraries build, compared with the catalogue's formulas."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from docs.writers.blocks import DOCS, place
from paramproof.views.table import markdown_rows
from sweep.witnesses.__main__ import known
from sweep.witnesses.comparison import all_causes
from sweep.witnesses.keras_hub import expected, pairs

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
    data = known()
    rows = []
    for library, one in data.items():
        built, equal = _counts(one["types"])
        rows.append(
            [f"{library}, random sizes of {len(one['types'])} types", built, equal, built - equal]
        )
    verdicts = Counter(one["verdict"] for one in data["mlx-lm"]["files"])
    equal, explained = verdicts["equal"], verdicts["explained"]
    rows.append(["mlx-lm, public configurations", equal + explained, equal, explained])
    presets = [(n, p) for n, one in data["keras-hub"]["presets"].items() for p in one]
    rows.append(["keras-hub, published counts of presets", len(presets), len(presets), 0])
    every = [one for name in SETS for one in stored(name)]
    compared = sum(one.get("compared", 0) for one in every)
    rows.append([f"seven others, formulas of {len(every)} constructors", compared, compared, 0])
    cells = ([first, *(f"{one:,}" for one in numbers), "0"] for first, *numbers in rows)
    heads = ["", "compared", "equal", "explained by causes", "not explained"]
    return markdown_rows(heads, cells, NUMBERS)


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


@place("backbones", PAGE)
def backbones() -> str:
    """Return each backbone of KerasHub with its model type, and what it has more."""
    data = known()["keras-hub"]
    rows = []
    for name, pair in pairs().items():
        causes = data["types"][name]["causes"].values()
        own = " + ".join(next(iter(one)) for one in causes).replace("+ −", "− ")
        presets = (f"{expected(name, one):,}" for one in pair.presets)
        rows.append([f"`{name}`", f"`{pair.type}`", own or "equal", ", ".join(presets)])
    heads = ["backbone", "model type", "KerasHub has more", "presets, as published"]
    return markdown_rows(heads, rows)


@place("constructors", PAGE)
def constructors() -> str:
    return markdown_rows(
        ["library", "constructors", "proved", "fitted", "no formula", "compared", "differ"],
        _constructors(),
        ["---"] + ["---:"] * 6,
    )


def _constructors() -> Iterator[list[str]]:
    by_library = defaultdict[str, list[dict[str, Any]]](list)
    for name in SETS:
        for one in stored(name):
            by_library[one["name"].partition(".")[0]].append(one)
    for library, found in by_library.items():
        status = Counter(one["status"] for one in found)
        sums = (
            len(found),
            status["proved"],
            status["fitted"],
            len(found) - status["proved"] - status["fitted"],
            sum(one.get("compared", 0) for one in found),
            sum(len(one.get("wrong", ())) for one in found),
        )
        yield [library, *(f"{one:,}" for one in sums)]
