"""The ledger of claims.toml: numbers that texts print about the size of models, with verdicts.

Nothing of a verdict is stored. The printed arithmetic is evaluated as it is, a number is compared
with the formula of what the text says it counts, then with that formula under each convention, and
the search of ``paramproof explain`` looks for what a wrong number counts.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docs.writers.blocks import place
from paramproof.algebra.symbols import FamilyArchitecture, sizes_as_symbols
from paramproof.explanation.answer import in_powers
from paramproof.explanation.index import Way, component, named, words
from paramproof.explanation.number import WrittenNumber, read
from paramproof.explanation.search import PLAIN, search
from paramproof.explanation.ways import TRAINABLE, Part, PartCounts
from paramproof.formulas import inventory
from paramproof.formulas.conventions import PARTS, STORAGE, Undecided, as_named
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.models import named_model, named_models
from paramproof.formulas.notation import text as in_text
from paramproof.formulas.path import has_layer, in_braces, leaf, lies_in, parent
from paramproof.formulas.printing import signed
from paramproof.formulas.spec import Spec
from paramproof.views.table import markdown_rows

LEDGER = Path(__file__).with_suffix(".toml")
EXACT, CONVENTION, REFUTED = "exact", "exact under a convention", "refuted"
HEADS = ("model", "where", "as stated", "verdict", "what it is", "claimed − formula", "right is")

TIMES = "\N{MULTIPLICATION SIGN}"
SIGNS = str.maketrans({TIMES: "*", "·": "*", "−": "-", "[": "(", "]": ")", ",": None, "\n": " "})
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
    of: Sequence[str] = ()
    all: bool = False
    counts: Sequence[str] = ()
    complete: bool = False
    whole: bool = False
    at: Mapping[str, str] = field(default_factory=dict)
    field: str = ""
    shape: tuple[int, ...] = ()

    @property
    def spec(self) -> Spec:
        return named_model(self.model).spec

    @property
    def target(self) -> Target:
        """What the number claims to count: the whole model if it names no component."""
        names = (*TRAINABLE, *self.counts)
        ones = (Part(p, has_layer(p) and not self.all, conventions=names) for p in self.of or ("",))
        return Target(self.model, tuple(ones))

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        if self.kind == "tensor":
            return f"{list(self.shape)}: {self.claimed}"
        if self.kind == "share":
            return f"about {self.claimed} %"
        return " = ".join(filter(None, (self.letters or self.printed, self.claimed)))


@dataclass(frozen=True)
class Target:
    """Components of a model, each with conventions."""

    model: str
    parts: tuple[Part, ...] = (Part(),)

    @property
    def formula(self) -> Expression:
        return in_hidden(part_counts(self.model).formula(self.parts), self.model)

    @property
    def count(self) -> int:
        return part_counts(self.model).recount(self.parts)

    @property
    def text(self) -> str:
        """Its components in words; those of one component are joined, ``attention.{query,key}``."""
        groups: dict[tuple[object, ...], list[Part]] = {}
        for part in self.parts:
            above = parent(part.component) or part.component
            groups.setdefault((above, part.one, part.conventions), []).append(part)
        return " + ".join(map(_words, groups.values()))

    def under(self, *names: str) -> Target:
        return Target(self.model, tuple(one._replace(conventions=names) for one in self.parts))


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
            Entry(where=name, shape=tuple(shape), claimed=count, of=(path,), **about)
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


def _words(parts: list[Part]) -> str:
    first = parts[0]
    names = ", ".join(name for name in first.conventions if (name,) != TRAINABLE)
    if not first.component:
        return words(Way("under", names or "trainable", 0, ""))
    above, own = parent(first.component), in_braces([leaf(part.component) for part in parts])
    path = f"{above}.{own}" if above else own
    what = f"{path} under {names}" if names else path
    return component(Way("one" if first.one else "all", what, 0, ""), noun=False)


@cache
def part_counts(model: str) -> PartCounts:
    return PartCounts(FamilyArchitecture.of(named_model(model).spec))


def in_hidden(formula: Expression, model: str) -> Expression:
    """Return a formula with H for G·K and A·K, if every head has keys and values of H/A."""
    own = named_model(model).spec.letters()._asdict()
    if own.get("G") != own.get("A") or own.get("A", 1) * own.get("K", 0) != own["H"]:
        return formula
    return formula.substitute({"G": letter("A"), "K": letter("H") / letter("A")})


def excuse(number: int, target: Target) -> Target | None:
    """Return the target under the convention that makes ``number`` right, or None."""
    for names in (*((*TRAINABLE, name) for name in PARTS), *((name,) for name in STORAGE)):
        with suppress(Undecided):
            if target.under(*names).count == number:
                return target.under(*names)
    return None


def explanation(
    number: int, target: Target, complete: bool = False
) -> tuple[str, Expression | None]:
    """Return what else ``number`` counts, in words and in letters, the closest to its target.

    It counts other components, or those of a named model that differs only in the sizes of tables:
    then such a size has a prime. A text that is ``complete`` lists every tensor, so that no
    convention explains its number.
    """
    spec = named_model(target.model).spec
    for name in (target.model, *named_models()):
        other = named_model(name).spec
        own = FamilyArchitecture.of(other).fields.items() if type(other) is type(spec) else ()
        differing = {one: of for one, of in own if getattr(other, of) != getattr(spec, of)}
        if not own or not TABLES.issuperset(differing.values()):
            continue
        first, *others = named()[name].ways
        ways = [one for one in others if one.kind in PLAIN and one.kind != "class"]
        ways = [first, *(one for one in ways if not (complete and one.kind == "under"))]
        known = [replace(named()[name], ways=tuple(ways))]
        found = search(WrittenNumber(str(number), number), known, alone=True)
        for match in sorted(found, key=lambda one: not _is_inside(one.way, target)):
            sizes = ", ".join(f"{of}={getattr(other, of)}" for of in differing.values())
            primed = {one: letter(f"{one}'") for one in differing}
            text = f"{match.text}, at {sizes} (of {name})" if sizes else match.text
            return text, in_hidden(match.expression, target.model).substitute(primed)
    return "no explanation", None


def _is_inside(way: Way, target: Target) -> bool:
    path = "" if way.kind in ("under", "estimate") else way.what
    one = way.kind in ("one", "wide")
    return any(lies_in(path, own.component) and one == own.one for own in target.parts)


def _of_claim(entry: Entry) -> Verdict:
    target = entry.target
    value = whole(entry.expression or entry.printed) if entry.printed else None
    try:
        number = read(entry.claimed or str(value))
    except ValueError:
        number = WrittenNumber(entry.claimed, whole(entry.claimed))
    found = _of_number(number.exact, target, entry) if number.exact else _of_rounded(number, target)
    if value in (None, number.exact) or any(value in one for one in number.readings):
        return found
    own = _of_number(value or 0, target, entry)
    what = f"the arithmetic comes to {value:,} ({own.what}); {entry.claimed} is {found.what}"
    return Verdict(REFUTED, what, found.residual or own.residual, f"{target.count:,}")


def _of_number(number: int, target: Target, entry: Entry) -> Verdict:
    count = target.count
    if number == count:
        return Verdict(CONVENTION if entry.counts else EXACT, target.text)
    # A text that lists every tensor, or that names a convention, has no other excuse.
    if not (entry.complete or entry.counts) and (other := excuse(number, target)):
        return Verdict(CONVENTION, other.text, correct=f"{count:,}")
    what, expression = explanation(number, target, entry.complete)
    letters = in_powers(number - count, entry.spec.hidden_size)
    if expression is not None:
        letters = in_text(expression - target.formula)
    return Verdict(REFUTED, what, f"{signed(number - count)} = {letters}", f"{count:,}")


def _of_rounded(number: WrittenNumber, target: Target) -> Verdict:
    count = target.count
    for reading in number.readings:
        if count in reading:
            return Verdict(CONVENTION, f"{target.text}: {count:,}, {reading.says}")
    residual = signed(int(number.readings[0].stated) - count)
    return Verdict(REFUTED, "no explanation", residual, f"{as_named(count)} ({count:,})")


def _of_formula(entry: Entry) -> Verdict:
    target, ours = entry.target, sizes_as_symbols(entry.spec)._asdict()
    names = {**ours, "d": ours["H"], "d_model": ours["H"], "N": ours["L"]}
    claimed = evaluate(entry.letters, names)
    at = {name: evaluate(written, ours) for name, written in entry.at.items()}
    for conventions in (TRAINABLE, *((*TRAINABLE, name) for name in PARTS)):
        counted = target.under(*conventions)
        if claimed == counted.formula.substitute(at):
            what = counted.text + "".join(f", at {k} = {v}" for k, v in entry.at.items())
            if entry.whole:
                everything = Target(entry.model).formula.substitute(at)
                return Verdict(CONVENTION, what, in_text(claimed - everything))
            return Verdict(EXACT if conventions == TRAINABLE else CONVENTION, what)
    residual = in_text(claimed - target.formula.substitute(at))
    return Verdict(REFUTED, "no explanation", residual, in_text(target.formula))


def _of_size(entry: Entry) -> Verdict:
    spec, what, claimed = entry.spec, entry.field or entry.letters, int(entry.claimed)
    right = evaluate(entry.letters or str(getattr(spec, entry.field)), spec.letters()._asdict())
    stated = whole(entry.printed) if entry.printed else claimed
    wrong = Verdict(REFUTED, what, f"{signed(claimed - int(right))} in {what}", f"{int(right):,}")
    if stated != claimed:
        return wrong._replace(what=f"the arithmetic comes to {stated:,}")
    if claimed == right or not entry.field:
        return Verdict(EXACT, what) if claimed == right else wrong
    try:
        changed: Spec = replace(spec, **{entry.field: claimed})
    except ValueError as error:
        return wrong._replace(what=str(error))
    formula = Target(entry.model).formula
    own = {of: one for one, of in FamilyArchitecture.of(spec).fields.items()}[entry.field]
    difference = formula.substitute({own: letter(f"{own}'")}) - formula
    count, total = (int(inventory(one.letters()).total()) for one in (changed, spec))
    what = f"with it the model would have {count:,}, not {total:,}"
    return wrong._replace(what=what, residual=f"{signed(count - total)} = {in_text(difference)}")


def _of_share(entry: Entry) -> Verdict:
    tensors = inventory(entry.spec.letters())
    part, total = sum(tensors.total(path) for path in entry.of), tensors.total()
    share, digits = 100 * part / total, len(entry.claimed.rstrip("0"))
    what = f"{', '.join(entry.of)}: {part:,} of {total:,}, {share:.2f} %"
    if float(f"{share:.{digits}g}") == int(entry.claimed):
        return Verdict(
            CONVENTION, f"{what}, rounded to {digits} significant digit{'s' * (digits > 1)}"
        )
    return Verdict(REFUTED, what, "", f"{share:.2f} %")


def _of_tensor(entry: Entry) -> Verdict:
    (path,) = entry.of
    tensors = inventory(entry.spec.letters())
    tensors = tensors if has_layer(path) else tensors.expand()
    tensor = next(one for one in tensors if one.present and one.path == path)
    claimed, turned = whole(entry.claimed), tensor.shape[::-1]
    # A shape may be as it is, transposed, or that of a convolution of width 1.
    if claimed != tensor.size or entry.shape not in (tensor.shape, turned, (*turned, 1)):
        residual = signed(claimed - tensor.size)
        return Verdict(REFUTED, str(tensor.shape), residual, f"{tensor.size:,}")
    if tensor.trainable and not tensor.tied_to:
        return Verdict(EXACT, path)
    why = (
        f"(tied-each): its storage is {tensor.tied_to}"
        if tensor.tied_to
        else "(total): it is fixed"
    )
    return Verdict(CONVENTION, f"{path} {why}", correct="0")


def verdict(entry: Entry) -> Verdict:
    of: dict[str, Callable[[Entry], Verdict]] = {
        "claim": _of_claim,
        "formula": _of_formula,
        "size": _of_size,
        "share": _of_share,
        "tensor": _of_tensor,
    }
    return of[entry.kind](entry)


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
    titles = tomllib.loads(LEDGER.read_text("utf-8"))["sources"]
    return "\n\n".join(
        f"## {number}: {about['title']}\n\n"
        + _table(one for one in entries() if one.source == number)
        for number, about in titles.items()
    )


def _table(shown: Iterable[Entry]) -> str:
    rows = (
        (f"{one.source}, {one.model}", one.where, f"`{one.stated}`", *verdict(one)) for one in shown
    )
    escaped = ([c if c.startswith("`") else c.replace("*", r"\*") for c in row] for row in rows)
    return markdown_rows(HEADS, escaped)
