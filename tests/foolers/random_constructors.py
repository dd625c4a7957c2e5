"""Random source code of constructors: arithmetic on sizes, branches, loops, tables and text.

Every expression is 1 or more, so that a constructor seldom refuses its sizes.
"""

import hashlib
import sys
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location

from hypothesis import strategies as st

from tests.foolers.random_expressions import conditions, of_layers, whole, written

SIZES = {"a": 16, "b": 24, "n": 3}

HEAD = """\
import math

from torch import nn

TABLE = [3, 8, 8, 24, 5, 40]
LATE = [False] * 120 + [True] * 1000
WIDE = {64: 7, 512: 9, 4800: 11}
NAMES = {"layer2", "layer40", "layer110"}
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
def _layer(draw, names):
    """Draw what makes a layer, of an int ``w`` among others."""
    first, second = draw(whole(names, 1)), draw(whole(names, 1))
    kind = draw(st.sampled_from(["linear", "linear", "norm", "block"]))
    if kind == "norm":
        return f"nn.LayerNorm({first})"
    if kind == "block":
        return f"Block({first}, {draw(st.sampled_from(names))})"
    return f"nn.Linear({first}, {second}, bias={draw(conditions(names))})"


@st.composite
def _statement(draw, names):
    """Draw lines of the constructor's body, without their indentation."""
    kind = draw(st.sampled_from(["append", "branch", "loop", "loop", "comprehension", "while"]))
    if kind == "append":
        return [f"layers.append({draw(_layer(names))})"]
    if kind == "branch":
        lines = [f"if {draw(conditions(names))}:", f"    layers.append({draw(_layer(names))})"]
        if draw(st.booleans()):
            lines += ["else:", f"    layers.append({draw(_layer(names))})"]
        return lines
    times = draw(st.sampled_from(["n", "n", "n + 1", "2 * n", "n // 2 + 1", "min(n, 50)", "4"]))
    if kind == "comprehension":
        bias = draw(of_layers(names))
        width = draw(whole(names, 1))
        return [
            "count = len(layers)",
            f"layers.extend([nn.Linear({width}, a, bias={bias}) for i in range({times})])",
        ]
    layer = f"    layers.append({draw(_layer(names))})"
    if kind == "while":
        return ["count = 0", f"while count < {times}:", layer, "    count += 1"]
    lines = ["count = 0", f"for i in range({times}):"]
    if draw(st.booleans()):
        lines += [f"    if {draw(of_layers(names))}:", f"    {layer}"]
        lines += ["    else:", "        layers.append(nn.LayerNorm(b))"]
    else:
        lines.append(layer)
    return [*lines, "    count += 1"]


@st.composite
def sources(draw):
    """Draw the source of a module with a constructor ``model`` of the sizes in ``SIZES``."""
    body, names = ["model = nn.Module()"], tuple(SIZES)
    for name in draw(st.sampled_from([(), ("x",), ("x", "y")])):
        made = draw(whole(names) | written("helper({x})", x=whole(names, 1)))
        body.append(f"{name} = {made}")
        names += (name,)
    for number, lines in enumerate(draw(st.lists(_statement(names), min_size=1, max_size=2))):
        body += [f"layers = model.part{number} = nn.ModuleList()", *lines]
    body.append("return model")
    parameters = ", ".join(f"{name}={size}" for name, size in SIZES.items())
    text = f"\n\ndef model({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    if "Block(" in text:
        text = draw(_block()) + text
    if "helper(" in text:
        text = draw(_helper()) + text
    return HEAD + text


def _helper():
    size = whole(("size",), 1)
    return written(HELPER, condition=conditions(("size",)), one=size, other=size)


def _block():
    names = ("width", "index")
    return written(BLOCK, width=whole(names, 1), condition=conditions(names))


@contextmanager
def module_of(source, folder):
    """Import a source as a module of its own, with a file that can be inspected, inside only."""
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
