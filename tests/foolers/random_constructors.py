"""Random source code of constructors: arithmetic on sizes, branches, loops, tables and text.

Every expression is at least 1, so that a constructor seldom refuses its sizes.
"""

import hashlib
import sys
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location

from hypothesis import strategies as st

from tests.foolers.random_expressions import LIMITS, conditions, whole, written
from tests.foolers.random_statements import statements

SIZES = {"a": 16, "b": 24, "n": 3}

HEAD = """\
import math
from dataclasses import dataclass, field

from torch import nn

TABLE = [3, 8, 8, 24, 5, 40]
LATE = [False] * 120 + [True] * 1000
WIDE = {64: 7, 512: 9, 4800: 11}
NAMES = {"layer2", "layer40", "layer110"}
"""

CHECK = """

def check(size):
    if {condition}:
        raise ValueError(f"{{size}} is no size")
"""

CONFIG = """

@dataclass
class Config:
    one: int
    two: int = 8
    wide: bool = field(init=False)

    def __post_init__(self):
        one, two = self.one, self.two
        self.wide = bool({condition})

    @property
    def larger(self):
        return max(self.one, self.two, {limit})
"""

STACK = """

class Stack(nn.ModuleList):
    scale = {limit}

    def __init__(self, width, depth):
        super().__init__()
        for index in range(depth):
            self.append(nn.Linear(width, {size}, bias=width < self.scale))
"""

HELPER = """

def helper(size):
    if {condition}:
        return {one}
    return {other}
"""

BLOCK = """

class Block(nn.Module):
    def __init__(self, width, index):
        super().__init__()
        self.width = {width}
        self.linear = nn.Linear(width, self.width)
        if {condition}:
            self.norm = nn.LayerNorm(self.width)
"""


@st.composite
def sources(draw):
    """Draw the source of a module with a constructor ``model`` for the sizes in ``SIZES``."""
    body, names = ["model = nn.Module()"], tuple(SIZES)
    for name in draw(st.sampled_from([(), ("x",), ("x", "y")])):
        made = draw(whole(names) | written("helper({x})", x=whole(names, 1)))
        body.append(f"{name} = {made}")
        names += (name,)
    for number, lines in enumerate(draw(st.lists(statements(names), min_size=1, max_size=2))):
        body += [f"layers = model.part{number} = nn.ModuleList()", *lines]
    body.append("return model")
    parameters = ", ".join(f"{name}={size}" for name, size in SIZES.items())
    text = f"\n\ndef model({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    for name, defined in DEFINED.items():
        if f"{name}(" in text:
            text = draw(defined) + text
    return HEAD + text


DEFINED = {
    "helper": written(
        HELPER,
        condition=conditions(("size",)),
        one=whole(("size",), 1),
        other=whole(("size",), 1),
    ),
    "check": written(CHECK, condition=conditions(("size",))),
    "Block": written(
        BLOCK,
        width=whole(("width", "index"), 1),
        condition=conditions(("width", "index")),
    ),
    "Stack": written(STACK, limit=LIMITS, size=whole(("width", "depth"), 0)),
    "Config": written(CONFIG, condition=conditions(("one", "two"), 0), limit=LIMITS),
}
"""Helpers that a constructor may call, by name: each one may call those after it."""


@contextmanager
def module_of(source, folder):
    """Import source code as a module, with a file that can be inspected, within the context."""
    name = f"constructor_{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    path = folder / f"{name}.py"
    path.write_text(source, "utf-8")
    spec = spec_from_file_location(name, path)
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]
