"""The ledger of claims.toml: numbers that texts print about the size of models, with verdicts.

Nothing of a verdict is stored. The printed arithmetic is evaluated as it is, and compared with the
count of what the text says it counts, then with that count under each convention. If it is none of
them, the search of ``paramproof explain`` looks for what the number counts.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docs.writers.blocks import place
from paramproof.algebra.symbols import FamilyArchitecture, sizes_as_symbols
from paramproof.explanation.answer import in_powers
from paramproof.explanation.index import UNDER, Way, component, named, words
from paramproof.explanation.number import WrittenNumber, read
from paramproof.explanation.search import search
from paramproof.explanation.ways import PartCounts, parts_of_way
from paramproof.formulas import inventory
from paramproof.formulas.conventions import PARTS, STORAGE, Undecided, as_named
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.expression import text as in_text
from paramproof.formulas.models import named_model, named_models
from paramproof.formulas.path import has_layer
from paramproof.formulas.printing import signed
from paramproof.formulas.spec import Spec
from paramproof.tables import markdown_rows

LEDGER = Path(__file__).with_suffix(".toml")
EXACT, CONVENTION, REFUTED = "exact", "exact under a convention", "refuted"
HEADS = ("model", "where", "as stated", "verdict", "what it is", "claimed − formula", "right is")

SIGNS = str.maketrans("\N{MULTIPLICATION SIGN}·−[]\n", "**-() ", ",")
TOKEN = re.compile(r"(?P<number>\d+)|(?P<letter>\w+)|\*\*\s*\d\b|\*(?!\*)|/(?!/)|[-+() ]")

TABLES = {"vocab_size", "target_vocab_size", "max_position_embeddings", "type_vocab_size"}
"""The sizes in which a model may differ from the one whose number a text prints for it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A printed number; claims.toml describes the fields of each ``kind``."""

    kind: str
    source: str
    where: str
    model: str
    claimed: str = ""
    printed: str = ""
    expression: str = ""
    letters: str = ""
    of: str = ""
    all: bool = False
    counts: str = ""
    complete: bool = False
    whole: bool = False
    at: Mapping[str, str] = field(default_factory=dict)
    field: str = ""
    shape: tuple[int, ...] = ()

    @property
    def spec(self) -> Spec:
        return named_model(self.model).spec

    def way(self, conventions: str = "") -> Way:
        """Return the way to count a model that the text names, under conventions."""
        if not self.of:
            return Way("under", conventions or "trainable", 0, "")
        kind = "one" if has_layer(self.of) and not self.all else "all"
        return Way(kind, f"{self.of}{UNDER}{conventions}" if conventions else self.of, 0, "")

    def words(self, conventions: str = "") -> str:
        way = self.way(conventions)
        return component(way, noun=False) if self.of else words(way)

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        if self.kind == "tensor":
            return f"{list(self.shape)}: {self.claimed}"
        if self.kind == "share":
            return f"about {self.claimed} %"
        return " = ".join(filter(None, (self.letters or self.printed, self.claimed)))


class Verdict(NamedTuple):
    """What a number counts; ``residual`` is claimed − formula, and ``correct`` the right number."""

    kind: str
    what: str
    residual: str = ""
    correct: str = ""


@cache
def entries() -> tuple[Entry, ...]:
    """Return every entry by source; the tensors of tables follow a source's other entries."""
    data = tomllib.loads(LEDGER.read_text("utf-8"))
    kinds = ("claim", "formula", "size", "share")
    found = [Entry(kind=kind, **one) for kind in kinds for one in data[kind]]
    for table in data["table"]:
        about = {"kind": "tensor", "source": table["source"], "model": table["model"]}
        found += [
            Entry(where=name, shape=tuple(shape), claimed=count, of=path, **about)
            for name, shape, count, path in table["rows"]
        ]
    return tuple(sorted(found, key=lambda one: one.source))


def evaluate(text: str, letters: Mapping[str, Any] | None = None) -> Any:
    """Return the exact value of printed arithmetic: whole numbers, ``letters``, operators.

    Raises ``ValueError``, in one line, for anything else.
    """
    source = text.translate(SIGNS).strip()
    tokens = list(TOKEN.finditer(source))
    strange = {found["letter"] for found in tokens} - {None, *(letters or ())}
    if strange or TOKEN.sub("", source):
        raise ValueError(f"{text!r} is not made of whole numbers, letters and + - * /")
    # The source has only the tokens above, and every number becomes an exact fraction.
    exact = "".join(f"Number({found[0]})" if found["number"] else found[0] for found in tokens)
    try:
        return eval(exact, {"__builtins__": {}, "Number": Fraction, **(letters or {})})
    except (SyntaxError, TypeError, ZeroDivisionError) as error:
        raise ValueError(f"{text!r} is not valid arithmetic") from error


def whole(text: str) -> int:
    value = evaluate(text)
    if value.denominator != 1:
        raise ValueError(f"{text!r} comes to {value}, which is not a whole number")
    return int(value)


@cache
def part_counts(model: str) -> PartCounts:
    return PartCounts(FamilyArchitecture.of(named_model(model).spec))


def count(entry: Entry, conventions: str = "") -> int:
    return part_counts(entry.model).recount(parts_of_way(entry.way(conventions)))


def formula(entry: Entry, conventions: str = "") -> Expression:
    found = part_counts(entry.model).formula(parts_of_way(entry.way(conventions)))
    ours = sizes_as_symbols(entry.spec)._asdict()
    at = {name: evaluate(written, ours) for name, written in entry.at.items()}
    return in_hidden(found, entry.model).substitute(at)


def in_hidden(formula: Expression, model: str) -> Expression:
    """Return a formula with H for G·K and A·K, if every head has keys and values of H/A."""
    own = named_model(model).spec.letters()._asdict()
    if own.get("G") != own.get("A") or own.get("A", 1) * own.get("K", 0) != own["H"]:
        return formula
    return formula.substitute({"G": letter("A"), "K": letter("H") / letter("A")})


def verdict(entry: Entry) -> Verdict:
    if entry.kind == "size":
        return _of_size(entry)
    if entry.kind == "share":
        return _of_share(entry)
    if entry.kind == "formula":
        ours = sizes_as_symbols(entry.spec)._asdict()
        names = {**ours, "d": ours["H"], "d_model": ours["H"], "N": ours["L"]}
        return _of_value(evaluate(entry.letters, names), entry)
    return _of_claim(entry)


def _of_claim(entry: Entry) -> Verdict:
    """Return the verdict on a number, and on the arithmetic that the text prints for it."""
    value = whole(entry.expression or entry.printed) if entry.printed else None
    try:
        number = read(entry.claimed or str(value))
    except ValueError:
        number = WrittenNumber(entry.claimed, whole(entry.claimed))
    found = _of_value(number.exact, entry) if number.exact else _of_rounded(number, entry)
    if value in (None, number.exact) or any(value in one for one in number.readings):
        return found
    own = _of_value(value, entry)
    what = f"the arithmetic comes to {value:,} ({own.what}); {entry.claimed} is {found.what}"
    return Verdict(REFUTED, what, found.residual or own.residual, f"{count(entry):,}")


def _of_value(value: Any, entry: Entry) -> Verdict:
    """Return the verdict on a number, or on an expression in letters."""
    right, written = (formula, in_text) if entry.kind == "formula" else (count, "{:,}".format)
    # A text that lists every tensor, or that names a convention, has no other excuse.
    others = () if entry.complete or entry.counts else (*PARTS, *STORAGE)
    for names in (entry.counts, *others):
        with suppress(Undecided):
            if _has_shape(entry) and value == right(entry, names):
                what = entry.words(names)
                what += "".join(f", at {name} = {size}" for name, size in entry.at.items())
                if entry.whole:
                    residual = in_text(value - formula(replace(entry, of="")))
                    return Verdict(CONVENTION, what, residual)
                correct = "" if names == entry.counts else written(right(entry))
                return Verdict(CONVENTION if names else EXACT, what, correct=correct)
    plain = right(entry, entry.counts)
    if entry.kind == "formula":
        return Verdict(REFUTED, "no explanation", in_text(value - plain), in_text(plain))
    what, expression = explanation(value, entry)
    letters = in_powers(value - plain, entry.spec.hidden_size)
    if expression is not None:
        letters = in_text(expression - formula(entry, entry.counts))
    return Verdict(REFUTED, what, f"{signed(value - plain)} = {letters}", f"{plain:,}")


def _has_shape(entry: Entry) -> bool:
    """Return whether a tensor has the shape that a text prints, or there is none to compare."""
    shapes = (one.shape for one in inventory(entry.spec.letters()) if one.path == entry.of)
    # A shape may be as it is, transposed, or that of a convolution of width 1.
    same = (entry.shape in (one, one[::-1], (*one[::-1], 1)) for one in shapes)
    return not entry.shape or any(same)


def explanation(number: int, entry: Entry) -> tuple[str, Expression | None]:
    """Return what else ``number`` counts, in words and in letters.

    It counts other components, those of one layer first if the text means one, or those of a named
    model that differs only in the sizes of tables: then such a size has a prime. A text that is
    ``complete`` lists every tensor, so that no convention explains its number.
    """
    for name in (entry.model, *named_models()):
        other = named_model(name).spec
        own = FamilyArchitecture.of(other).fields if type(other) is type(entry.spec) else {}
        differing = {
            k: of for k, of in own.items() if getattr(other, of) != getattr(entry.spec, of)
        }
        if not own or not TABLES.issuperset(differing.values()):
            continue
        first, *others = named()[name].ways
        ways = [first, *(one for one in others if not (entry.complete and one.kind == "under"))]
        known = [replace(named()[name], ways=tuple(ways))]
        found = search(WrittenNumber(str(number), number), known, alone=True)
        is_one = entry.way().kind == "one"
        for match in sorted(found, key=lambda one: (one.way.kind in ("one", "wide")) != is_one):
            sizes = ", ".join(f"{of}={getattr(other, of)}" for of in differing.values())
            primed = {one: letter(f"{one}'") for one in differing}
            text = f"{match.text}, at {sizes} (of {name})" if sizes else match.text
            return text, in_hidden(match.expression, entry.model).substitute(primed)
    return "no explanation", None


def _of_rounded(number: WrittenNumber, entry: Entry) -> Verdict:
    own = count(entry, entry.counts)
    for reading in number.readings:
        if own in reading:
            what = f"{entry.words(entry.counts)}: {own:,}, {reading.says}"
            return Verdict(CONVENTION, what)
    residual = signed(int(number.readings[0].stated) - own)
    return Verdict(REFUTED, "no explanation", residual, f"{as_named(own)} ({own:,})")


def _of_size(entry: Entry) -> Verdict:
    what, claimed = entry.field or entry.letters, int(entry.claimed)
    own = {**entry.spec.letters()._asdict(), **asdict(entry.spec)}
    right, stated = evaluate(what, own), whole(entry.printed or entry.claimed)
    if claimed == right == stated:
        return Verdict(EXACT, what)
    return Verdict(REFUTED, what, f"{signed(claimed - int(right))} in {what}", f"{right:,}")


def _of_share(entry: Entry) -> Verdict:
    part, total = count(entry), count(replace(entry, of=""))
    share, digits = 100 * part / total, len(entry.claimed.rstrip("0"))
    what = f"{entry.of}: {part:,} of {total:,}, {share:.2f} %"
    if float(f"{share:.{digits}g}") != int(entry.claimed):
        return Verdict(REFUTED, what, "", f"{share:.2f} %")
    rounded = f"rounded to {digits} significant digit{'s' * (digits > 1)}"
    return Verdict(CONVENTION, f"{what}, {rounded}")


@place("claims", "evidence")
@place("summary", "claims")
def summary() -> str:
    kinds = Counter(verdict(entry).kind for entry in entries())
    lines = [f"- {number} {kind}" for kind, number in sorted(kinds.items())]
    return "\n".join([f"{sum(kinds.values())} numbers:", "", *lines])


@place("refuted", "claims")
def refuted() -> str:
    return _table(one for one in entries() if verdict(one).kind == REFUTED)


@place("ledger", "claims")
def ledger() -> str:
    sources = tomllib.loads(LEDGER.read_text("utf-8"))["sources"].items()
    tables = (_table(one for one in entries() if one.source == source) for source, _ in sources)
    headings = (f"## {source}: {about['title']}" for source, about in sources)
    return "\n\n".join(map("\n\n".join, zip(headings, tables, strict=True)))


def _table(shown: Iterable[Entry]) -> str:
    rows = (
        (f"{one.source}, {one.model}", one.where, f"`{one.stated}`", *verdict(one)) for one in shown
    )
    escaped = ([c if c.startswith("`") else c.replace("*", r"\*") for c in row] for row in rows)
    return markdown_rows(HEADS, escaped)
