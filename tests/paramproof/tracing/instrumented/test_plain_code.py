"""Instrumented code computes what plain code does, and functions get their own code back.

The code is that of Python's own library: people wrote it for other purposes, in every style. What
it seldom does is in ``plain_code.py``.
"""

import builtins
import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

from paramproof.formulas.expression import letter
from paramproof.tracing.instrumented import code_swap
from paramproof.tracing.instrumented.code_swap import run_instrumented
from paramproof.tracing.instrumented.code_transform import instrumented_code
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt

NAME = "code_to_instrument"
SOURCE = Path(__file__).with_name("plain_code.py")
TEXT = Path(__file__).read_text("utf-8")
LINES = TEXT.splitlines()


@pytest.fixture
def load(tmp_path):
    def copy(source):
        path = tmp_path / f"{NAME}.py"
        path.write_text(source.read_text("utf-8"), "utf-8")
        spec = importlib.util.spec_from_file_location(NAME, path)
        found = sys.modules[NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    yield copy
    del sys.modules[NAME]
    code_swap._scanned.clear()
    instrumented_code.cache_clear()


@pytest.fixture
def module(load):
    return load(SOURCE)


def instrumented(call):
    return run_instrumented([NAME], call, call)


def outcome(program, *arguments):
    try:
        return program(*arguments)
    except Exception as error:
        return type(error), str(error)


def configured(m, n):
    parser = m.ConfigParser()
    parser.read_string(f"[a]\nx = {n}\ny = %(x)s1\n[b]\nz = {'%' * n}\n")
    return {name: dict(parser[name]) for name in parser}


def parsed(m, n):
    parser = m.ArgumentParser(prog="it")
    parser.add_argument("--size", type=int, help="the size")
    parser.add_argument("rest", nargs="*")
    return parser.format_help(), parser.parse_args(["--size", str(n), *"ab"])


PROGRAMS = {
    "_pydecimal": lambda m, n: [
        m.Decimal(n) / 7, m.Decimal("1.1") ** n, m.Decimal(n + 1).ln(), f"{m.Decimal(n):.3e}",
        m.Decimal("-12.345").quantize(m.Decimal("0.1")), m.Decimal(n - 2).sqrt(),
    ],
    "argparse": parsed,
    "ast": lambda m, n: [
        m.unparse(m.parse(TEXT)), m.dump(m.parse(LINES[-1].strip()), indent=n),
        m.literal_eval(f"[1, {{'a': -{n}}}, (2 + 3j)]"),
    ],
    "calendar": lambda m, n: [
        m.TextCalendar(n).formatmonth(2000 + n, 1 + n), m.HTMLCalendar().formatmonth(2024, 1 + n),
    ],
    "configparser": configured,
    "csv": lambda m, n: [m.Sniffer().sniff("a;b;c\n1;2;3\n" * (n + 1)).delimiter],
    "dataclasses": lambda m, n: m.asdict(m.make_dataclass("C", [("x", int), ("y", list)])(n, [n])),
    "difflib": lambda m, n: [
        [*m.unified_diff(LINES[:40], LINES[n:45], n=n)], [*m.ndiff(LINES[:9], LINES[n:12])],
        m.get_close_matches("appel", ["ape", "apple", "peach"], n=n),
    ],
    "fractions": lambda m, n: [
        m.Fraction(n, 7) ** 3, m.Fraction(3.14159).limit_denominator(n), m.Fraction(n, 3) // 2,
        round(m.Fraction(n, 3), 1), hash(m.Fraction(n, 3)), m.Fraction("1.25e3") % n,
    ],
    "heapq": lambda m, n: [[*m.merge([1, 4, n], [2, 3])], m.nlargest(n, range(20), key=abs)],
    "ipaddress": lambda m, n: [
        m.ip_address("::1").exploded, [*m.ip_network(f"10.0.0.0/{24 + n}").subnets(new_prefix=31)],
    ],
    "plistlib": lambda m, n: [
        m.dumps({"a": [n, 1.5, True], "b": b"x" * n}),
        m.loads(m.dumps({"a": [n]}, fmt=m.FMT_BINARY)),
    ],
    "pprint": lambda m, n: m.pformat({i: "word " * i for i in range(9)}, width=20 + n, indent=n),
    "random": lambda m, n: [m.Random(n).sample(range(99), n), m.Random(n).choices("abc", k=n)],
    "shlex": lambda m, n: [m.split("a 'b c' \"d\\\"e\" f" * n), m.quote("a b" * n)],
    "statistics": lambda m, n: [
        m.quantiles(range(20), n=n), m.linear_regression([1, 2, 3], [n, 5, 7]),
        m.NormalDist(n, 2).cdf(1.0),
    ],
    "string": lambda m, n: [
        m.Formatter().format("{0:>{1}} {a!r}", n, n + 3, a=[n]),
        m.Template("$a $$").substitute(a=n),
    ],
    "textwrap": lambda m, n: [m.wrap(TEXT, 9 * n), m.dedent(TEXT), m.shorten(TEXT, 50 + n)],
}  # fmt: skip
"""What modules of the library compute; some refuse some numbers."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_is_computed(load, name):
    module = load(Path(importlib.util.find_spec(name).origin))
    for n in range(7):
        here = outcome(PROGRAMS[name], module, n)
        with recording() as recorder:
            there = instrumented(lambda n=n: outcome(PROGRAMS[name], module, n))
        assert repr(there) == repr(here)
        assert not recorder.caveats
        assert not recorder.guards


def test_what_the_library_seldom_does(module):
    for n in range(1, 7):
        assert instrumented(lambda n=n: module.seldom(n)) == module.seldom(n)


@pytest.mark.parametrize(
    "value", [0, 41, 7, [], [1, 2], {"key": 1}, {"key": 1, "other": 2}, {"other": 3}, "a"]
)
def test_the_same_matches(module, value):
    assert instrumented(lambda: module.matches(value)) == module.matches(value)


def codes(module):
    found = {}
    for owner in (module, *(one for one in vars(module).values() if inspect.isclass(one))):
        for name, one in vars(owner).items():
            one = getattr(one, "fget", None) or inspect.unwrap(getattr(one, "__func__", one))
            if inspect.isfunction(one) and one.__module__ == module.__name__:
                found[f"{owner.__name__}.{name}"] = one.__code__
    return found


@pytest.fixture
def library(load):
    return load(Path(inspect.getfile(importlib.import_module("fractions"))))


def test_every_function_is_instrumented_inside_only(library):
    before = codes(library)
    inside, has_hooks = instrumented(
        lambda: (library.Fraction(1, 2), codes(library), hasattr(builtins, "__paramproof_call__"))
    )[1:]
    assert has_hooks
    assert len(before) >= 20
    assert inside.keys() == before.keys()
    assert [name for name in before if inside[name] is before[name]] == []
    assert codes(library) == before
    assert not hasattr(builtins, "__paramproof_call__")


def test_functions_have_their_own_code_after_an_error(library):
    def interrupted():
        assert library.Fraction(1, 2)
        raise KeyboardInterrupt

    before = codes(library)
    with pytest.raises(KeyboardInterrupt):
        instrumented(interrupted)
    after = codes(library)
    assert all(after[name] is code for name, code in before.items())
    assert not [name for name in vars(builtins) if name.startswith("__paramproof_")]


def test_an_error_has_the_lines_of_the_plain_code(library):
    def lines():
        with pytest.raises(ZeroDivisionError) as caught:
            library.Fraction(1, 2) ** -1 / library.Fraction(0)
        return [one.lineno for one in caught.traceback if one.path.name == f"{NAME}.py"]

    assert instrumented(lines) == lines() != []


def test_what_each_object_adds_to_itself_once_is_followed(module):
    """In a loop over sizes, each iteration makes an object and adds to its attribute."""
    with recording():
        found = instrumented(lambda: module.boxes(SymInt(3, letter("L"))))
    assert found == [8, 8, 8]
    assert {*map(type, found)} == {int}


def test_membership_is_a_guard(module):
    with recording() as recorder:
        assert instrumented(lambda: module.is_below_five(SymInt(3, letter("L")))) == (True, True)
    assert "L < 5" in {str(guard) for guard in recorder.guards}
