"""The matrices of planted faults in docs/faults.md, and their summary in docs/evidence.md."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from docs.writers.blocks import EVIDENCE, ROOT, block, write_blocks
from paramproof.builders.registry import Framework, frameworks
from paramproof.views.table import markdown_rows
from tests.faults import evidence
from tests.faults.catalogue import FAULTS
from tests.faults.matrix import observed

PAGE = ROOT / "docs" / "faults.md"


def matrix() -> str:
    """Return a table of every fault and the evidence that catches it, with totals."""
    kinds = list(evidence.EVIDENCE)
    rows = []
    for name, fault in FAULTS.items():
        caught = ["caught" if kind in observed(name) else "·" for kind in kinds]
        rows.append([name, *caught, fault.about])
    sums = [sum(kind in observed(name) for name in FAULTS) for kind in kinds]
    rows.append([f"**caught, of {len(FAULTS)}**", *(f"**{number}**" for number in sums), ""])
    rule = ["---", *[":-:"] * len(kinds), "---"]
    return markdown_rows(["fault", *kinds, "what is wrong"], rows, rule) + "\n"


def summary() -> str:
    """Return how many faults there are, how many are caught, and what parity alone catches."""
    caught = [name for name in FAULTS if observed(name)]
    parity = [name for name in FAULTS if observed(name) == {"parity"}]
    return (
        f"{len(FAULTS)} faults; {len(caught)} are caught by at least one kind of evidence. "
        f"{len(parity)} do not change any name, shape or count, and only parity catches them: "
        f"{', '.join(parity)}.\n"
    )


def everywhere(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return a table of the evidence that catches each fault in each framework."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    rows = [[name, *(column[name] for column in columns.values())] for name in names]
    return markdown_rows(["fault", *columns], rows, ["---", *[":-:"] * len(columns)]) + "\n"


def published() -> dict[str, dict[str, str]]:
    """Return the columns of the page's table."""
    lines = block("everywhere", PAGE.read_text("utf-8")).splitlines()
    header, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return {
        framework: {row[0]: row[number] for row in rows}
        for number, framework in enumerate(header[1:], start=1)
    }


def observed_in(framework: Framework) -> dict[str, str]:
    """Run a framework in a process of its own; return its column. Raises ``RuntimeError``."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.everywhere", framework.name],
        cwd=ROOT,
        env={**os.environ, **framework.environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{framework.name}: status {done.returncode}\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def write() -> None:
    """Rewrite both matrices and both summaries."""
    columns = {name: observed_in(framework) for name, framework in frameworks().items()}
    write_blocks(
        PAGE, {"faults": matrix(), "summary": summary(), "everywhere": everywhere(columns)}
    )
    write_blocks(EVIDENCE, {"summary": summary()})
