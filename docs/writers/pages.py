"""Fill the generated blocks of README and docs: ``python -m docs.writers.pages``, in the checkout.

A block stands between ``<!-- NAME -->`` and ``<!-- end -->``. The tests hold each block to
what the command prints today, and say to run this where it has drifted.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
FAULTS_PAGE = ROOT / "docs" / "faults.md"
MUTATION_PAGE = ROOT / "docs" / "mutation.md"
CONFIGURATIONS_PAGE = ROOT / "docs" / "configurations.md"
FORMULAS_PAGE = ROOT / "docs" / "formulas.md"
EVIDENCE_PAGE = ROOT / "docs" / "evidence.md"
CLAIMS_PAGE = ROOT / "docs" / "claims.md"
EXPLAIN_PAGE = ROOT / "docs" / "explain.md"
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
    code = "from paramproof.cli.main import main; main()"
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
    from paramproof.algebra.residual import explained
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


def write_formulas() -> None:
    """Rewrite the derivations of the families."""
    from docs.writers import formulas_page

    write_markdown(FORMULAS_PAGE, **formulas_page.blocks())


def write_configurations() -> None:
    """Rewrite what configurations are read and refused."""
    from docs.writers import configs_page as configurations_page

    write_markdown(CONFIGURATIONS_PAGE, **configurations_page.blocks())


def write_claims() -> None:
    """Rewrite the ledger of published claims."""
    from docs.writers.claims import page

    write_markdown(
        CLAIMS_PAGE, summary=page.summary(), refuted=page.refuted(), ledger=page.ledger()
    )


def samples(page: Path) -> list[str]:
    """The blocks of a page that are what a command prints: their names are the commands."""
    return re.findall(r"^<!-- (paramproof .*?) -->$", page.read_text("utf-8"), re.MULTILINE)


def write_explain() -> None:
    """Rewrite the samples of ``explain`` and ``count``, and the rate of false accounts."""
    from tests.explain_rate import rates, table

    text = with_block("rate", EXPLAIN_PAGE.read_text("utf-8"), table(rates()))
    for command in samples(EXPLAIN_PAGE):
        text = with_block(command, text, paramproof(*command.split()[1:]))
    EXPLAIN_PAGE.write_text(text, "utf-8")


def write_differences() -> None:
    """Ask every framework how it differs, and write its answers and the page of them."""
    from docs.writers.differences import reference as differences

    differences.write()


def main() -> None:
    """Rewrite every block."""
    text = README.read_text("utf-8")
    text = with_block("verify", text, paramproof(*VERIFY))
    text = with_block("report", text, report())
    for command in samples(README):
        text = with_block(command, text, paramproof(*command.split()[1:]))
    README.write_text(text, "utf-8")
    write_faults()
    write_formulas()
    write_configurations()
    write_claims()
    write_explain()
    write_differences()


if __name__ == "__main__":
    main()
