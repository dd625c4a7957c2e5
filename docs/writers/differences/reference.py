"""The recorded answers and their page.

``python -m docs.writers differences`` measures every framework, records the answers as data of the
package, and writes the page from them; ``python -m docs.writers.differences.reference`` writes the
page anew.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from docs.writers.blocks import ROOT
from docs.writers.differences.page import render
from paramproof.builders.registry import Framework, frameworks
from paramproof.differences.answer import RECORDED, Answer, in_order, recorded
from paramproof.workers.jobs import Differences
from paramproof.workers.pool import run_in_workers

PAGE = ROOT / "docs" / "framework-differences.md"


def versions() -> dict[str, dict[str, str]]:
    """Return, for each of our frameworks, what it needs in the versions of constraints.txt."""
    text = (ROOT / "constraints.txt").read_text("utf-8")
    pinned = {_plain(n): v for n, v in re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)}
    return {
        framework.name: {name: pinned[_plain(name)] for name in framework.distributions}
        for framework in _ours()
    }


def page() -> str:
    """Return the page."""
    return render(*recorded())


def write() -> None:
    """Measure every framework, and write the record and the page.

    Raises ``RuntimeError``, without writing, if a framework is missing or broken.
    """
    ours = _ours()
    _require(not any(framework.missing for framework in ours), "a framework is not installed")
    pinned = versions()
    for framework in ours:
        # ``+cpu`` names a build.
        found = {name: (v or "").split("+")[0] for name, v in framework.versions().items()}
        _require(found == pinned[framework.name], f"{framework.name}: not as in constraints.txt")
    answers = run_in_workers(ours, Differences())
    reasons = [answer.facts["reason"] for answer in answers if answer.failed]
    _require(not reasons, "; ".join(reasons))
    RECORDED.write_text(record(pinned, answers), "utf-8")
    write_page()


def record(versions: Mapping[str, Mapping[str, str]], answers: Sequence[Answer]) -> str:
    """Return the record as JSON: a line for each answer, with the frameworks that give it."""
    rows = ([answer for answer in answers if answer.row == row] for row in in_order(answers))
    written = ",\n".join(map(_row, rows))
    return f'{{"versions": {_json(versions)},\n"rows": [\n{written}\n]}}\n'


def _row(answers: Sequence[Answer]) -> str:
    found: dict[str, list[str]] = {}
    for answer in answers:
        found.setdefault(_json(answer.facts), []).append(answer.framework)
    said = ",\n ".join(f'["{" ".join(names)}", {facts}]' for facts, names in found.items())
    about = ("section", "row", "what", "components")
    head = ", ".join(f'"{key}": {_json(getattr(answers[0], key))}' for key in about)
    return f'{{{head}, "answers": [\n {said}]}}'


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def write_page() -> None:
    """Write the page anew."""
    PAGE.write_text(page(), "utf-8")


def _ours() -> list[Framework]:
    return [framework for framework in frameworks().values() if framework.extra]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise RuntimeError(reason)


if __name__ == "__main__":
    write_page()
