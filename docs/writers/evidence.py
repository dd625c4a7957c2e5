"""The findings of tests: planted faults, mutants and parity, and samples that tests compare."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import Any

from docs.writers.blocks import PAGES, block, content, figures, kept, measures, place, put
from paramproof.builders.registry import Framework, frameworks
from paramproof.differences.answer import versions_text
from paramproof.tables import markdown_rows

PARITY = PAGES["parity"].with_name("measured.json")

VERIFY = "paramproof verify --model bert-base --examples 50"
"""The command whose output docs/frameworks.md shows."""

kept("verify", "frameworks")
kept("foolers", "evidence")
for _name in ("score", "sampled-score"):
    kept(_name, "mutation")
    _score = partial(lambda name: block(name, PAGES["mutation"].read_text("utf-8")), _name)
    place(_name, "evidence")(_score)
# Tests compare them with what is printed now.
kept("derived", "tutorial")


@place("faults", "faults")
def faults() -> str:
    from tests.faults.evidence import EVIDENCE
    from tests.faults.in_torch import FAULTS

    rows = [
        [name, *("caught" if kind in one.caught_by else "·" for kind in EVIDENCE), one.about]
        for name, one in FAULTS.items()
    ]
    sums = [sum(kind in one.caught_by for one in FAULTS.values()) for kind in EVIDENCE]
    rows.append([f"**caught, of {len(FAULTS)}**", *(f"**{number}**" for number in sums), ""])
    rule = ["---", *[":-:"] * len(EVIDENCE), "---"]
    return markdown_rows(["fault", *EVIDENCE, "what is wrong"], rows, rule)


@place("summary", "faults", "evidence")
def summary() -> str:
    from tests.faults.in_torch import FAULTS

    caught = [name for name, one in FAULTS.items() if one.caught_by]
    parity = [name for name, one in FAULTS.items() if one.caught_by == ("parity",)]
    return (
        f"{len(FAULTS)} faults; {len(caught)} are caught by at least one kind of evidence. "
        f"{len(parity)} do not change any name, shape or count, and only parity catches them: "
        f"{', '.join(parity)}."
    )


@place("everywhere", "faults")
def everywhere() -> str:
    """Return by fault and framework the initials of the evidence that catches it, or "none"."""
    from tests.faults.evidence import ELSEWHERE
    from tests.faults.in_frameworks import IN_ITS_CODE, MISREAD, due, impossible

    def caught(one: Framework, name: str) -> str:
        kinds = [kind for kind in ELSEWHERE if kind in due(one, name)]
        return "none" if name in impossible(one) else "".join(k[0].upper() for k in kinds)

    names = (*IN_ITS_CODE, *MISREAD)
    rows = [[name, *(caught(one, name) for one in frameworks().values())] for name in names]
    return markdown_rows(["fault", *frameworks()], rows, ["---", *[":-:"] * len(frameworks())])


def foolers() -> str:
    from tests.foolers.entries import FOOLERS, HARMLESS, load

    load()
    count = Counter(one.outcome for one in FOOLERS.values())
    rows = {
        "written to fool a derivation": len(FOOLERS),
        "proved, and right where its guards allow": count["guard"],
        "fitted, with a caveat that names the line": count["caveat"],
        "fitted without such a caveat, and right": count["fitted"],
        "not derived, with an error": count["refused"],
        "harmless, and proved": len(HARMLESS),
    }
    return figures(["", "functions"], rows.items())


measures("evidence")(lambda: put("evidence", foolers=foolers()))


@measures("frameworks")
def verify() -> None:
    put("frameworks", verify=content("frameworks", "session", f"    $ {VERIFY}"))


def parity() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PARITY.read_text("utf-8"))
    return found


def distances(dtype: str) -> str:
    from tests.parity.differences import FORMATS

    rows = []
    for name, found in sorted(parity().items()):
        own = [found["figures"][dtype][kind] for kind in FORMATS]
        rows.append([name, *(f"{each['found']:.1e} ({each['share']:.2f})" for each in own)])
    return markdown_rows(["framework", *FORMATS], rows)


place("float32", "parity")(partial(distances, "float32"))
place("float64", "parity")(partial(distances, "float64"))


@place("releases", "parity")
def _releases() -> str:
    return versions_text(found["versions"] for found in parity().values())


@place("float32 steps", "parity")
def steps() -> str:
    """Return the steps that frameworks compute in float32, even with float64 weights."""
    found = ((one.name, ", ".join(one.float32_steps)) for one in frameworks().values())
    return "\n".join(f"- {name}: {steps}" for name, steps in sorted(found) if steps)
