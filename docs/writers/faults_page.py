"""The matrix of planted faults in docs/faults.md, and what docs/evidence.md says of it."""

from docs.writers.blocks import EVIDENCE, ROOT, write_blocks
from docs.writers.markdown import table
from tests.faults import evidence
from tests.faults.catalogue import FAULTS
from tests.faults.matrix import observed

PAGE = ROOT / "docs" / "faults.md"


def matrix() -> str:
    """Return every fault with the evidence that catches it, and the sums."""
    kinds = list(evidence.EVIDENCE)
    rows = []
    for name, fault in FAULTS.items():
        caught = ["caught" if kind in observed(name) else "·" for kind in kinds]
        rows.append([name, *caught, fault.about])
    sums = [sum(kind in observed(name) for name in FAULTS) for kind in kinds]
    rows.append([f"**caught, of {len(FAULTS)}**", *(f"**{number}**" for number in sums), ""])
    rule = ["---", *[":-:"] * len(kinds), "---"]
    return table(["fault", *kinds, "what is wrong"], rows, rule) + "\n"


def summary() -> str:
    """Return how many faults there are, how many are caught, and what parity alone catches."""
    caught = [name for name in FAULTS if observed(name)]
    parity = [name for name in FAULTS if observed(name) == {"parity"}]
    return (
        f"{len(FAULTS)} faults; {len(caught)} are caught by one kind of evidence or more. "
        f"{len(parity)} leave every name, shape and count as they are, and are caught by parity "
        f"alone: {', '.join(parity)}.\n"
    )


def write() -> None:
    """Rewrite the matrix and both summaries."""
    write_blocks(PAGE, {"faults": matrix(), "summary": summary()})
    write_blocks(EVIDENCE, {"summary": summary()})
