"""docs/public-configurations.md: public configurations, how many are counted, and why not all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from docs.writers.blocks import ROOT
from paramproof.views.table import markdown_rows

if TYPE_CHECKING:
    from sweep.samples.public_configs import PublicResult

PAGE = ROOT / "docs" / "public-configurations.md"

TEXT = """\
# Public configurations

This page covers {all} `config.json` files of {types} model types from public repositories:
fine-tuned models, tests and presets of inference engines, and published models. For each file that
the [catalogue](catalogue.md) counts without a framework, every tensor was compared with the model
that transformers builds from the same file. All other files are refused, without a number.

{summary}

The files are in `tests/catalogue/public.jsonl`, each with its repository and path. They are stored
without the keys that do not affect a model's tensors: names, versions, dtypes, the texts of labels
and tasks, and long lists about a quantized form. Files that differ only in such keys are stored
once. Files that do not name a class, and drafts for speculative decoding, are left out.

`python -m sweep --public` counts all of them, and prints those that differ from transformers.

## By model type

{by_type}

## Refused

{refused}
"""


def render(results: Sequence[PublicResult]) -> str:
    """Return the page of these results."""
    there = [one for one in results if one.parameters is not None]
    reasons = Counter(one.reason for one in results if one.reason).most_common()
    rows = {
        "configurations": len(results),
        "counted, each equal to transformers": len(there),
        **{f"refused: {reason}": number for reason, number in reasons},
    }
    return TEXT.format(
        all=len(results),
        types=len({one.model_type for one in results}),
        summary=markdown_rows(["", ""], ([k, f"{n:,}"] for k, n in rows.items()), ["---", "---:"]),
        by_type=markdown_rows(
            ["model type", "counted", "of"], _types(results), ["---", "---:", "---:"]
        ),
        refused="\n\n".join(_section(reason, results) for reason, _ in reasons),
    )


def _types(results: Sequence[PublicResult]) -> Iterator[list[str]]:
    """Yield a row for each type, the most frequent first."""
    number = Counter(one.model_type for one in results)
    there = Counter(one.model_type for one in results if one.parameters is not None)
    for name in sorted(number, key=lambda name: (-number[name], name)):
        yield [f"`{name}`", str(there[name]), str(number[name])]


def _section(reason: str, results: Sequence[PublicResult]) -> str:
    said = Counter((one.model_type, one.why) for one in results if one.reason == reason)
    lines = [f"### {reason.capitalize()}", ""]
    for (model_type, why), number in sorted(said.items(), key=lambda pair: (-pair[1], pair[0])):
        what = why.removeprefix(f"{model_type}: ") or "its classes are unknown"
        lines.append(f"- {number}, `{model_type}`: {what}")
    return "\n".join(lines)


def write() -> None:
    """Write the page. Raises ``ValueError`` if a count differs from that of transformers."""
    from sweep.samples.public_configs import count_configs

    results = list(count_configs())
    if apart := [f"{one.source}: {one.mismatch}" for one in results if one.mismatch]:
        raise ValueError("; ".join(apart))
    PAGE.write_text(render(results), "utf-8")
