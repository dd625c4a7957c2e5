"""The list of surviving mutants in docs/mutation.md, and the score of a run."""

from collections.abc import Mapping

from docs.writers.blocks import EVIDENCE, ROOT, write_blocks
from paramproof.views.table import markdown_rows
from tests.mutation.survivors import EQUIVALENT_SAMPLED, Change, equivalent

PAGE = ROOT / "docs" / "mutation.md"


def survivors(reasons: Mapping[Change, str]) -> str:
    """Return the table of survivors, each with the reason why no test can detect it."""
    rows = [
        (f"`{listed.function}`", f"`{listed.before}`", f"`{listed.after}`", reason)
        for listed, reason in reasons.items()
    ]
    return markdown_rows(["function", "before", "after", "why no test can tell"], rows) + "\n"


def write() -> None:
    """Rewrite the lists. A run of the mutants writes the scores."""
    sampled = survivors(equivalent(EQUIVALENT_SAMPLED))
    write_blocks(PAGE, {"survivors": survivors(equivalent()), "sampled-survivors": sampled})


def write_score(score: str) -> None:
    """Rewrite the score in docs/mutation.md and docs/evidence.md."""
    write_blocks(PAGE, {"score": score})
    write_blocks(EVIDENCE, {"score": score})


def write_sampled_score(score: str) -> None:
    """Rewrite the score of the sample in docs/mutation.md and docs/evidence.md."""
    write_blocks(PAGE, {"sampled-score": score})
    write_blocks(EVIDENCE, {"sampled-score": score})
