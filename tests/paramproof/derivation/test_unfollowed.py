"""Each line that may decide something is named, and few others are."""

import linecache
import sys
from types import ModuleType

import pytest

from paramproof.derivation.runner import Runner
from paramproof.derivation.unfollowed import MAX_LINES, executed_code, unfollowed_lines
from tests.paramproof.derivation.toys import constructor

HEAD = """\
import math
from dataclasses import dataclass

class Layer:
    limit = 4
    def __init__(self, parts, size):
        self.size = size
        parts.append(("w", (size,)))

@dataclass
class Config:
    size: int

LIMIT = 4096
decays = lambda size, share=0.5: size * share

"""
FIRST = HEAD.count("\n") + 2


def lines_named(body):
    """Return the notes on lines of ``body``, each with the line's number, counted from 1."""
    source = HEAD + "def model(parts, size, n):\n" + "".join(f"    {one}\n" for one in body)
    name = f"constructor_{abs(hash(source))}"
    module = sys.modules[name] = ModuleType(name)
    file = f"{name}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), vars(module))
    toy = constructor(module.model, name, {"size": 12, "n": 3})
    with executed_code(toy) as code:
        toy.make(toy.sizes)
    said = unfollowed_lines(code, toy)
    return [one.replace(f"{file}:", "").replace(" was not followed", "") for one in said]


HARMLESS = [
    "layers = [Layer(parts, size) for i in range(n)]",
    "for i in range(2 * n + 1): layers.append(Layer(parts, size * n))",
    "config = Config(size)",
    "inner = config.size + LIMIT",
    "inner *= 2",
    "first, second = layers[0], (lambda it: it)",
    "def made(width: int = 3): return Layer(parts, width)",
    "made(inner)",
]


def test_harmless_lines_are_not_named():
    assert lines_named(HARMLESS) == []
    (said,) = lines_named(["decays(size)"])  # Multiplied again and again, it becomes 0.
    assert said.startswith("an operation (")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("if size: pass", "a branch"),
        ("wide = size > 5", "a comparison"),
        ("wide = size and n", "a condition"),
        ("wide = not size", "an operation"),
        ("wide = 1 if size else 2", "a branch"),
        ("while n == 9: pass", "a while loop"),
        ("wide = [1, 2, 3, 4][n]", "a lookup"),
        ("wide = size // 4096", "an operation"),
        ("wide = size % 4096", "an operation"),
        ("wide = size - 12", "an operation"),
        ("size -= 12", "an operation"),
        ("wide = len(str(size))", "a call"),
        ("wide = min(size, 4096)", "a call"),
        ("wide = math.floor(size)", "a call"),
        ("wide = size.bit_length()", "a call"),
        ("wide = size.__lt__(4096)", "a call"),
        ("wide = {size: 1}", "a statement"),
        ("wide = {size, n}", "a statement"),
        ("wide = [1 for i in range(n) if i]", "a loop"),
        ("for i in range(9, n): pass", "a call"),
        ("wide = f'{size}'", "text"),
        ("wide = map(math.floor, (size, n))", "a call"),
        ("wide = 0.5 * size", "a number"),
        ("assert size", "a statement"),
        ("import json", "a statement"),
    ],
)
def test_a_line_that_may_decide_is_named(line, what):
    (said,) = lines_named(["pass", line])
    assert said.endswith(f"({FIRST + 1})")
    assert said.startswith(what)


def test_only_a_few_lines_are_named():
    said = lines_named(["wide = size > 5"] * (MAX_LINES + 3))
    assert len(said) == MAX_LINES + 1
    assert said[-1] == "3 more lines were not followed"


def test_a_function_without_source():
    name = "constructor_without_source"
    module = sys.modules[name] = ModuleType(name)
    exec("def model(parts, size): parts.append(('w', (size,)))", vars(module))
    toy = constructor(module.model, name, {"size": 12})
    with executed_code(toy) as code:
        Runner(toy, None, 1).first()
    (said,) = unfollowed_lines(code, toy)
    assert said == "code without its source was not followed (<string>:1)"
