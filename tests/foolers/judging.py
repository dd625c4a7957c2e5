"""Derive a constructor, and compare the formula with models that are really built."""

import ast
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paramproof.derivation.pipeline import derive
from paramproof.tracing.abstract_build import build_abstractly
from paramproof.tracing.constructors.function import function_constructor

OTHER_PACKAGE = Path(__file__).with_name("otherlib")


@dataclass(frozen=True)
class Comparison:
    """A model at some sizes: its parameters, and the formula's count.

    ``counted`` is None if ``count`` refuses the sizes, and text if it raises any other error.
    """

    sizes: dict
    built: int
    counted: int | str | None
    proved: bool

    @property
    def is_wrong(self):
        return self.counted is not None and self.counted != self.built

    def __str__(self):
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        return f"{sizes}: {self.counted}, built {self.built}"


@dataclass(frozen=True)
class Verdict:
    """The derivation of a constructor, and how it compares with the models built.

    ``outcome`` is one of those that ``Entry`` describes.
    """

    outcome: str
    reasons: tuple[str, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def wrongly_proved(self):
        return [str(one) for one in self.comparisons if one.is_wrong and one.proved]

    @property
    def wrong_without_a_caveat(self):
        if self.outcome == "caveat":
            return []
        return [str(one) for one in self.comparisons if one.is_wrong and not one.proved]


def judge_entry(entry, **options):
    return judge(entry.name, entry.function, lambda _: entry.sizes(), **options)


def judge(name, function, sizes_for, **options):
    """Derive ``function``, and compare it with models at the sizes that ``sizes_for`` returns."""
    where = f"{function.__module__}:{name}"
    try:
        found = derive(function_constructor(where, function), **options)
    except ValueError as error:
        return Verdict("refused", (str(error),), ())
    comparisons = (comparison_at(found, function, each) for each in sizes_for(found))
    if found.is_proved:
        outcome = "guard"
    else:
        named = any(_names_a_line(reason, function) for reason in found.reasons)
        outcome = "caveat" if named else "fitted"
    return Verdict(outcome, found.reasons, tuple(one for one in comparisons if one))


def comparison_at(found, function, sizes):
    built = built_count(function, sizes)
    if built is None:
        return None
    letters = in_letters(found, sizes)
    try:
        counted = found.count(letters)
    except ValueError:
        counted = None
    except ArithmeticError as error:
        counted = repr(error)
    return Comparison(sizes, built, counted, not found.reasons_at(letters))


def in_letters(found, sizes):
    return {letter: sizes[field] for letter, field in found.fields.items()}


def built_count(function, sizes):
    try:
        model = build_abstractly(function, sizes)
    except Exception:
        return None
    return sum(one.numel() for one in model.parameters() if one.requires_grad)


def layout(function, sizes):
    return {name for name, _ in build_abstractly(function, sizes).named_parameters()}


def _names_a_line(reason, function):
    """Return whether a text names a line of ``function``, its callees, or the other package."""
    source = Path(sys.modules[function.__module__].__file__)
    lines = _own_lines(source, function.__name__)
    others = {path.name for path in OTHER_PACKAGE.glob("*.py")} - {"__init__.py"}
    for file, line in re.findall(r"([\w.-]+\.py):(\d+)", reason):
        if file in others or (file == source.name and int(line) in lines):
            return True
    return False


@cache
def _own_lines(path, name):
    """Return the lines of a function, or row, and of everything in its module that it refers to."""
    module = ast.parse(path.read_text("utf-8"))
    named = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for row in node.value.keywords:
                named.setdefault(row.arg, []).append(row.value)
    found, left = set(), [name]
    while left:
        one = left.pop()
        for node in named.pop(one, ()):
            found.update(range(node.lineno, node.end_lineno + 1))
            left += [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return frozenset(found)
