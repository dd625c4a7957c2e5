"""Fill the generated blocks of README and docs: ``python -m tests.docs``, in the checkout.

A block stands between ``<!-- NAME -->`` and ``<!-- end -->``. The tests hold each block to
what the command prints today, and say to run this where it has drifted.
"""

import re
import subprocess
import sys
from pathlib import Path

from tests import differences

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FAULTS_PAGE = ROOT / "docs" / "faults.md"
MUTATION_PAGE = ROOT / "docs" / "mutation.md"
EVIDENCE_PAGE = ROOT / "docs" / "evidence.md"
VERIFY = ("verify", "--model", "bert-base", "--examples", "50")


def block(name: str, text: str) -> str:
    """The lines of the block ``name`` in ``text``, unindented. Raises ``KeyError``."""
    match = _pattern(name).search(text)
    if match is None:
        raise KeyError(f"no block {name!r}")
    return "".join(line.removeprefix("    ") for line in match["lines"].splitlines(keepends=True))


def with_block(name: str, text: str, lines: str, margin: str = "    ") -> str:
    """``text`` with ``lines`` in the block ``name``: preformatted, or Markdown without margin.

    Raises ``KeyError`` where there is no such block.
    """
    block(name, text)
    indented = "".join(f"{margin}{line}".rstrip() + "\n" for line in lines.splitlines())
    return _pattern(name).sub(lambda match: f"{match['start']}\n{indented}\n{match['end']}", text)


def _pattern(name: str) -> re.Pattern[str]:
    start, end = re.escape(f"<!-- {name} -->"), re.escape("<!-- end -->")
    return re.compile(rf"(?P<start>{start}\n)\n?(?P<lines>.*?)\n?(?P<end>{end})", re.DOTALL)


def paramproof(*arguments: str) -> str:
    """What the command prints."""
    code = "from builders.cli import main; main()"
    return trimmed(
        subprocess.run(
            [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
        ).stdout
    )


def trimmed(text: str) -> str:
    """``text`` without spaces at the ends of its lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def report() -> str:
    """What a comparison says of PyTorch's encoder without its first feed-forward bias."""
    from builders.residual import explained
    from tests.frameworks import test_torch

    encoder, nn = test_torch.built()
    test_torch.bias_dropped(encoder, nn)
    return explained(test_torch.report_of(encoder), test_torch.SPEC)


def write_markdown(page: Path, **blocks: str) -> None:
    """Rewrite blocks of a page of the docs."""
    text = page.read_text("utf-8")
    for name, lines in blocks.items():
        text = with_block(name, text, lines, margin="")
    page.write_text(text, "utf-8")


def write_faults() -> None:
    """Rewrite the matrix of planted faults, and what the page on evidence says of it."""
    from tests.faults import matrix

    write_markdown(FAULTS_PAGE, faults=matrix.table(), summary=matrix.summary())
    write_markdown(EVIDENCE_PAGE, summary=matrix.summary())


def main() -> None:
    """Rewrite every block."""
    text = README.read_text("utf-8")
    text = with_block("verify", text, paramproof(*VERIFY))
    text = with_block("report", text, report())
    text = with_block("paramproof count bert-base", text, paramproof("count", "bert-base"))
    README.write_text(text, "utf-8")
    write_faults()
    differences.write()


if __name__ == "__main__":
    main()
