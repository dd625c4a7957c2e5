"""docs/second-opinion.md: the catalogue's counts and those of mlx-lm, and why they differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.views.table import markdown_rows
from sweep.second_opinion.causes import Cause, all_causes
from sweep.second_opinion.configs import required

PAGE = ROOT / "docs" / "second-opinion.md"
RESULTS = ROOT / "docs" / "second-opinion.json"

LONGEST = 120
"""The most characters of a formula in a table; docs/second-opinion.json has all."""

TEXT = """\
# A second opinion

[mlx-lm](https://github.com/ml-explore/mlx-lm) builds language models for Apple's MLX. Other people
wrote it, and it reads the same `config.json` as transformers. This page compares the
[catalogue](catalogue.md), whose formulas come from transformers, with the models that mlx-lm
builds, tensor by tensor. It needs no PyTorch, and MLX's arrays are lazy, so no model is allocated.

{versions}.

{totals}

A difference counts as explained if named causes turn the catalogue's tensors into exactly those of
mlx-lm: each tensor has the number of entries that the causes say, and the formulas of the causes
add up to the difference. A test fails for any other difference. Tensors that have two names, or
that one library keeps in one piece and the other in several, are compared under one name:
`sweep/second_opinion/names.toml` has the rules, and `causes.toml`, next to it, the causes.

mlx-lm's own total, `mlx_lm.utils.get_total_parameters`, leaves out the arrays of modules that
contain other modules. Here all arrays are counted.

`python -m sweep.second_opinion --examples 100` compares other configurations, with `--seed`.

## By model type

Each type was compared at {examples} random configurations. They are of the class that the catalogue
takes if a configuration names none, because mlx-lm builds the same model whatever class is named.
All sizes are given, and other keys are absent, null, or have another value that transformers
accepts. If mlx-lm refuses a configuration, another is drawn. If it requires a key that transformers
does not have, the key is added with the value of the same model, from
`sweep/second_opinion/required.toml`.

{by_type}

`bailing_hybrid` is compared as `BailingMoeV3ForCausalLM`: for any other class name mlx-lm builds an
older model, with another linear attention. These types have a module of their name in mlx-lm, and
were not compared:

{excluded}

## Public configurations

Of the {files} [public configurations](public-configurations.md) and configurations of served models
whose model type mlx-lm builds, {both} are counted by both libraries.

{public}

{public_causes}

mlx-lm refuses these, which the catalogue counts:

{refused}

The catalogue refuses these, which mlx-lm builds. Its counts have the differences of this page, such
as no vision tower, and nothing compares them:

{not_counted}

## Causes

The formulas say what mlx-lm has more, in the letters of the catalogue's
[model types](model-types.md). A formula of more than {longest} characters is cut here;
`docs/second-opinion.json` has all of them.
{causes}
## Mistakes of mlx-lm

In these cases a configuration says one thing, and mlx-lm builds another, without an error. Each has
a small configuration that shows it.
{mistakes}"""

CAUSE = """
### {name}

{text}

{rows}
"""

MISTAKE = """
### mlx-lm: {name}

{text} Model types: {types}.

```json
{config}
```

transformers builds {ours:,} parameters, and mlx-lm {theirs:,}{why}.
"""


def known() -> dict[str, Any]:
    """Return the stored results."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def render(data: Mapping[str, Any]) -> str:
    """Return the page that shows these results."""
    files = data["files"]
    verdicts = Counter(one["verdict"] for one in files)
    return TEXT.format(
        versions=", ".join(f"{name} {version}" for name, version in data["versions"].items()),
        totals=_totals(data, verdicts),
        examples=data["examples"],
        by_type=_by_type(data["types"]),
        excluded=_list(f"`{name}`: {why}." for name, why in required()["excluded"].items()),
        files=len(files),
        both=verdicts["equal"] + verdicts["explained"],
        public=_public(files),
        public_causes=_public_causes(files),
        refused=_list(_reasons(files, "only paramproof")),
        not_counted=_list(_reasons(files, "only mlx-lm")),
        longest=LONGEST,
        causes="".join(_cause(cause, data["types"]) for cause in _used(data)),
        mistakes="".join(_mistake(name, data) for name in data["mistakes"]),
    )


def _totals(data: Mapping[str, Any], verdicts: Counter[str]) -> str:
    types = data["types"].values()
    built, equal = (sum(one[key] for one in types) for key in ("built", "equal"))
    rows = [
        ("equal", equal, verdicts["equal"]),
        ("explained by a formula", built - equal, verdicts["explained"]),
        ("not explained", 0, verdicts["unexplained"]),
        ("all", built, verdicts["equal"] + verdicts["explained"] + verdicts["unexplained"]),
    ]
    headings = ("", f"random configurations of {len(types)} types", "public configurations")
    cells = ([name, f"{one:,}", f"{other:,}"] for name, one, other in rows)
    return markdown_rows(headings, cells, ["---", "---:", "---:"])


def _by_type(types: Mapping[str, Any]) -> str:
    headings = ("model type", "compared", "equal", "refused by mlx-lm", "causes")
    rows = (
        (
            f"`{name}`",
            str(one["built"]),
            str(one["equal"]),
            str(one["refused"]),
            "; ".join(f"{cause} ({sum(of.values())})" for cause, of in one["causes"].items()),
        )
        for name, one in types.items()
    )
    return markdown_rows(headings, rows, ["---", "---:", "---:", "---:", "---"])


def _public(files: list[Mapping[str, Any]]) -> str:
    names = sorted({one["model_type"] for one in files})
    rows = []
    for name in names:
        of = Counter(one["verdict"] for one in files if one["model_type"] == name)
        counts = [of[key] for key in ("equal", "explained", "only paramproof", "only mlx-lm")]
        rows.append([f"`{name}`", *map(str, counts)])
    headings = ("model type", "equal", "explained", "refused by mlx-lm", "by the catalogue")
    return markdown_rows(headings, rows, ["---", *["---:"] * 4])


def _public_causes(files: list[Mapping[str, Any]]) -> str:
    number = Counter(name for one in files for name in one.get("causes", ()))
    rows = ([name, str(count)] for name, count in number.most_common())
    return markdown_rows(["cause", "public configurations"], rows, ["---", "---:"])


def _reasons(files: list[Mapping[str, Any]], verdict: str) -> Iterator[str]:
    """Yield each reason with the number of files, and what mlx-lm counts in them."""
    said: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in files:
        if one["verdict"] == verdict:
            said.setdefault((one["model_type"], one["why"]), []).append(one)
    for (name, why), ones in sorted(said.items()):
        counts = sorted({one["theirs"] for one in ones if "theirs" in one})
        shown = f" (mlx-lm: {'; '.join(f'{one:,}' for one in counts)})" if counts else ""
        yield f"{len(ones)}, `{name}`: {why.removeprefix(f'{name}: ')}{shown}"


def _used(data: Mapping[str, Any]) -> list[Cause]:
    """Return the causes of a difference that was seen."""
    seen = {name for one in data["types"].values() for name in one["causes"]}
    seen |= {name for one in data["files"] for name in one.get("causes", ())}
    return [cause for cause in all_causes() if cause.name in seen]


def _cause(cause: Cause, types: Mapping[str, Any]) -> str:
    found: dict[str, list[str]] = {}
    for name, one in types.items():
        for formula in one["causes"].get(cause.name, ()):
            found.setdefault(formula, []).append(f"`{name}`")
    rows = ([_cut(formula), ", ".join(names)] for formula, names in found.items())
    shown = (
        markdown_rows(["mlx-lm has more", "model types"], rows)
        if found
        else "In public files only."
    )
    return CAUSE.format(name=cause.name, text=cause.text, rows=shown)


def _cut(formula: str) -> str:
    return formula if len(formula) <= LONGEST else f"{formula[:LONGEST]}…"


def _mistake(name: str, data: Mapping[str, Any]) -> str:
    one = data["mistakes"][name]
    (cause,) = (cause for cause in all_causes() if cause.name == name)
    types = [f"`{kind}`" for kind, of in data["types"].items() if name in of["causes"]]
    others = [other for other in one["causes"] if other != name]
    return MISTAKE.format(
        name=name,
        text=cause.text,
        types=", ".join(types),
        config=_json(one["config"]),
        ours=one["ours"],
        theirs=one["theirs"],
        why=f"; also because of: {', '.join(others)}" if others else "",
    )


def _json(value: Any, margin: str = "") -> str:
    """Return JSON with a line for each key, and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    inside = f"{margin}  "
    lines = (f"{inside}{json.dumps(key)}: {_json(one, inside)}" for key, one in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"


def _list(lines: Iterator[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def write() -> None:
    """Compare all configurations anew, and write the page and its data."""
    from sweep.second_opinion.random_models import types_of_both
    from sweep.second_opinion.results import measure

    data = measure(types_of_both())
    RESULTS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(data), "utf-8")
