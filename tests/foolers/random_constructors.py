"""Random source code of constructors: arithmetic on sizes, branches, loops, tables and text.

Every expression is at least 1, so that a constructor seldom refuses its sizes, and every loop runs
a few times at small sizes.
"""

import hashlib
import re
import sys
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location

from hypothesis import strategies as st

PLACE = re.compile(r"<(\w+)>")
"""In a template, the name of the templates that may stand here."""

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

EXPRESSIONS = {
    "small": [*map(str, range(2, 10))],
    "limit": ["2", "5", "20", "50", "100", "300", "1000", "4000", "20_000", "100_000"],
    # Beyond all values near the constructor's own sizes, but within 300 times them.
    "far": ["100", "500", "700", "3000"],
    "deep": ["2", "30", "60", "100"],
    "number": ["0.25", "0.5", "1.5", "0.7", "0.35", "2.6666666666666665", "0.1"],
    "order": ["<", "<=", ">", ">=", "!=", "=="],
    "any": ["<leaf>", "<small>"],
    "bound": ["<leaf>", "<limit>"],
    "whole0": ["<leaf>"],
    "whole": [
        "<leaf>",
        "<leaf>",
        "<leaf> * <any>",
        "<small> * <leaf>",
        "(<whole> + <any>)",
        "(<whole> // <small> + 1)",
        "(<whole> % <small> + 1)",
        "max(<whole>, <bound>)",
        "min(<whole>, <bound>)",
        "max(1, <whole> - <small>)",
        "(int(<float>) + 1)",
        "(round(<float>) + 1)",
        "(math.ceil(<float>) + 1)",
        "(<leaf> if <condition> else <leaf>)",
        "TABLE[<leaf> % 6]",
        "WIDE.get(<leaf>, <leaf>)",
        "[<leaf>, <leaf>][<condition>]",
        "len(str(<leaf>))",
        "sum([<leaf>, <leaf>])",
        "(<leaf>, <whole>)[<condition>]",
        "{True: <whole>, False: <leaf>}[<condition>]",
        "dict(one=<leaf>, two=<whole>)['two']",
        "(divmod(<leaf>, <small>)[0] + 1)",
        "len(range(0, <leaf>, <small>))",
        "(sum(TABLE[: <leaf> % 6]) + 1)",
        "(len(TABLE[:: <leaf>]) + 1)",
        # A comprehension's iterable may not contain a walrus operator: use only names.
        "(sum([size // <small> for size in (<leaf>, <leaf>)]) + 1)",
        "(len([s for s in (<leaf>, <leaf>, 90) if s < <limit>]) + 1)",
        "max(size + 1 for size in (<leaf>, <leaf>))",
        "sorted((<whole>, <leaf>, <limit>))[1]",
        "(kept if (kept := <whole>) > <limit> else <leaf>)",
        "len(f'{<leaf>}-{<leaf>}')",
        "len('-'.join(['x'] * <leaf>))",
        "(<leaf> if str(<leaf>).startswith('1') else <leaf>)",
        "(lambda size: size // <small> + 1)(<whole>)",
        "Config(<leaf>, <leaf>).larger",
    ],
    "float": [
        "<whole> * <number>",
        "<number> * <whole>",
        "<whole> / <small>",
        "<leaf> ** 0.5",
        "math.sqrt(<whole>)",
        "math.log2(<whole>)",
        "float(<whole>)",
    ],
    # Half of them do not compare a size itself, but a float, text, a table or a count.
    "condition0": ["<plain>", "<hidden>"],
    "condition": [
        "<plain>",
        "<plain>",
        "<hidden>",
        "<hidden>",
        "(<condition0> and <condition0>)",
        "(<condition0> or <condition0>)",
    ],
    "plain": ["<whole> <order> <limit>", "<whole> <order> <leaf>", "<leaf> % <small> == 0"],
    "hidden": [
        "<number> * <leaf> < <far>",
        "<leaf> * <number> <order> <far>.5",
        "<leaf> / <small> <order> 12.5",
        "float(<leaf>) < <far>",
        "1.0 / <leaf> > 1 / <far>",
        "math.sqrt(<leaf>) < 22",
        "math.log2(<leaf>) < <small>",
        "max(<far>.0, <leaf>) <= <far>",
        "round(<leaf>, -2) < <far>",
        "len(str(<leaf>)) < 3",
        "len(str(<leaf>)) < 4",
        'len(f"{<leaf>:x}") < 3',
        "int(str(<leaf>)) < <far>",
        "len([0] * <leaf>) < <far>",
        "sum(1 for _ in range(<leaf>)) < <far>",
        "<leaf>.bit_length() < <small>",
        "<leaf> & 8",
        "<leaf> & 512",
        "<leaf> & 4096",
        "<leaf> in WIDE",
        "len({<leaf>, <far>}) > 1",
        "<leaf> in range(30)",
        "<leaf> in range(300)",
    ],
    # Conditions in a loop, whose index is ``i``.
    "of_layers": [
        "i <order> <deep>",
        "i <order> <leaf>",
        "i % <small> == 0",
        "i % <small> == 1",
        "i * 1.0 < <deep>",
        "1.0 * i < <deep>",
        'f"layer{i}" not in NAMES',
        "len(str(i)) < 2",
        "len(str(i)) < 3",
        "not LATE[i]",
        "len(layers) < <deep>",
        "count < <deep>",
        "<condition0>",
    ],
    "of_name": ["name not in NAMES", "len(name) < 7", "name < 'layer8'"],
}

STATEMENTS = {
    "times": ["n", "n", "n", "n + 1", "2 * n", "n // 2 + 1", "min(n, 50)", "4"],
    "inner": ["2", "i % 3", "min(n, 4)", "3 - i % 2"],
    "runs": ["2", "n", "40", "min(n, a // 8)"],
    "end": ["break", "continue"],
    "layer": [
        "nn.Linear(<whole>, <whole>, bias=<condition>)",
        "nn.Linear(<whole>, <whole>, bias=<condition>)",
        "nn.LayerNorm(<whole>)",
        "Block(<whole>, <leaf>)",
        "nn.Sequential(nn.Linear(<whole>, <whole>), nn.LayerNorm(<whole>))",
        "Stack(<whole>, n)",
        "Stack(<whole>, 2)",
        "Stack(<whole>, n // 2 + 1)",
    ],
    "statement": [
        "layers.append(<layer>)",
        "if <condition>:\n    layers.append(<layer>)",
        "if <condition>:\n    layers.append(<layer>)\nelse:\n    layers.append(<layer>)",
        "match <whole> % 3:\n    case 0:\n        layers.append(<layer>)\n"
        "    case 1 if <condition>:\n        layers.append(<layer>)\n"
        "    case rest:\n        layers.append(nn.LayerNorm(<whole> + rest))",
        "match (<condition>, <whole>):\n"
        "    case (True, size):\n        layers.append(nn.LayerNorm(size))\n"
        "    case (False, size) if size > <deep>:\n        layers.append(<layer>)",
        "try:\n    layers.append(nn.Linear(TABLE[<whole> // 50], a))\n"
        "except IndexError:\n    layers.append(<layer>)",
        "try:\n    check(<whole>)\n    layers.append(<layer>)\n"
        "except ValueError:\n    layers.append(<layer>)",
        "for i in range(<times>):\n    layers.append(<layer>)",
        "for i in range(<times>):\n    setattr(model, f'named{i % <deep>}', <layer>)",
        "count = 0\nfor i in range(<times>):\n    if <of_layers>:\n        layers.append(<layer>)\n"
        "    else:\n        layers.append(nn.LayerNorm(b))\n    count += 1",
        "count = 0\nfor i in range(<times>):\n    if <of_layers>:\n        <end>\n"
        "    layers.append(<layer>)\n    count += 1",
        "count = 0\nwhile count < <times>:\n    layers.append(<layer>)\n    count += 1",
        "size = <whole>\nwhile (size := size // 2) > <small>:\n"
        "    layers.append(nn.LayerNorm(size))",
        "count = 0\n"
        "layers.extend([nn.Linear(<whole>, a, bias=<of_layers>) for i in range(<times>)])",
        "for i in range(<times>):\n    for j in range(<inner>):\n        layers.append(<layer>)",
        "widths = [<whole> for i in range(<times>)] + [<whole>]\n"
        "for one, two in zip(widths, widths[1:]):\n    layers.append(nn.Linear(one, two))",
        "for i, size in enumerate((<whole>, <whole>, <whole>)):\n"
        "    layers.append(nn.Linear(size, i + 1))",
        "first, *rest = sorted([<whole>, <whole>, <whole>])\n"
        "layers.extend(nn.Linear(first, size) for size in rest)",
        "table = {'query': <whole>, 'key': <whole>}\n"
        "if <condition>:\n    table['value'] = <whole>\n"
        "layers.extend(nn.LayerNorm(table[key]) for key in sorted(table))",
        "kinds = ['norm'] * <runs> + ['block'] * n\nfor kind in kinds[:n]:\n"
        "    layers.append(nn.LayerNorm(<whole>) if kind == 'norm' else <layer>)",
        "sizes = set((<whole>, <whole>, <whole>))\n"
        "layers.extend(nn.LayerNorm(max(sizes)) for _ in sizes)",
        "config = Config(<whole>, <whole>)\n"
        "layers.append(nn.Linear(config.one, config.two, bias=config.wide))",
        "names = [f'layer{i}' for i in range(n)]\n"
        "layers.extend(nn.LayerNorm(<whole>) for name in names if <of_name>)",
        # A function cannot see names assigned inside expressions.
        "def made(size):\n    return nn.Linear(size, <whole>, bias=<condition>)\n"
        "layers.extend(map(made, (<whole>, <whole>)))",
        "calls = 0\ndef counted():\n    nonlocal calls\n    calls += 1\n    return calls\n"
        "for i in range(<times>):\n"
        "    layers.append(nn.Linear(<whole>, a, bias=counted() < <deep>))",
        "def halves(size):\n    while size > <small>:\n        yield size\n        size //= 2\n"
        "start = <whole>\nlayers.extend(nn.LayerNorm(size) for size in halves(start))",
        "def down(size):\n    return [size] + down(size // 3) if size > <small> else []\n"
        "start = <whole>\nlayers.extend(nn.LayerNorm(size) for size in down(start))",
        "scaled = lambda size, by=<whole>: size + by // 2\n"
        "layers.append(nn.Linear(scaled(<whole>), scaled(a, <whole>)))",
    ],
}

DEFINED = {
    "helper": """

def helper(size):
    if <condition>:
        return <whole>
    return <whole>
""",
    "check": """

def check(size):
    if <condition>:
        raise ValueError(f"{size} is no size")
""",
    "Block": """

class Block(nn.Module):
    def __init__(self, width, index):
        super().__init__()
        self.width = <whole>
        self.linear = nn.Linear(width, self.width)
        if <condition>:
            self.norm = nn.LayerNorm(self.width)
""",
    "Stack": """

class Stack(nn.ModuleList):
    scale = <limit>

    def __init__(self, width, depth):
        super().__init__()
        for index in range(depth):
            self.append(nn.Linear(width, <leaf>, bias=width < self.scale))
""",
    "Config": """

@dataclass
class Config:
    one: int
    two: int = 8
    wide: bool = field(init=False)

    def __post_init__(self):
        one, two = self.one, self.two
        self.wide = bool(<condition0>)

    @property
    def larger(self):
        return max(self.one, self.two, <limit>)
""",
}
"""Definitions that may precede a constructor; each may use those after it."""

IN_SCOPE = {
    "helper": ["size"],
    "check": ["size"],
    "Block": ["width", "index"],
    "Stack": ["width", "depth"],
    "Config": ["one", "two"],
}


@st.composite
def texts(draw, grammar, name, depth=2):
    """Draw a template and fill its places; at depth 0 from ``name0``, if the grammar has it."""

    def filled(name, left):
        templates = grammar.get(f"{name}0") if left <= 0 else None
        chosen = draw(st.sampled_from(templates or grammar[name]))
        return PLACE.sub(lambda place: filled(place[1], left - 1), chosen)

    return filled(name, depth)


@st.composite
def sources(draw):
    """Draw the source of a module with a constructor ``model`` for the sizes in ``SIZES``."""
    body, names = ["model = nn.Module()"], list(SIZES)
    for name in draw(st.sampled_from(["", "x", "xy"])):
        grammar = EXPRESSIONS | {"leaf": names, "made": ["<whole>", "helper(<whole>)"]}
        body.append(f"{name} = {draw(texts(grammar, 'made', 3))}")
        names = [*names, name]
    grammar = EXPRESSIONS | STATEMENTS | {"leaf": names}
    for number in range(draw(st.integers(1, 2))):
        body.append(f"layers = model.part{number} = nn.ModuleList()")
        body += draw(texts(grammar, "statement", draw(st.integers(3, 4)))).split("\n")
    body.append("return model")
    parameters = ", ".join(f"{name}={size}" for name, size in SIZES.items())
    text = f"\n\ndef model({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    for name, template in DEFINED.items():
        if f"{name}(" in text:
            grammar = EXPRESSIONS | {"leaf": IN_SCOPE[name], "it": [template]}
            text = draw(texts(grammar, "it", 3)) + text
    return HEAD + text


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
