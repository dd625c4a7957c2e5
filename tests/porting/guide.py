"""The scripts and sentences of the porting guide, and the environments for the scripts."""

import ast
import re

from docs.writers.blocks import ROOT, script_in
from paramproof.formulas.models import named_model

TEXT = (ROOT / "docs" / "porting.md").read_text("utf-8")
SPEC = named_model("bert-tiny").spec
FILE = "bert.safetensors"
ENVIRONMENTS = {
    "make.py": ("transformers",),
    "port.py": ("transformers", "flax-linen"),
    "llama.py": ("transformers", "flax-linen"),
    "own.py": ("torch", "flax-linen"),
    "load.py": ("keras-tensorflow",),
}

DOTTED = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)+)`")
"""A name with an attribute, in code: ``source.module``."""

VALUE = re.compile(r"`([a-z_]\w*(?:\.\w+)+)` is (?:an? )?`([^`]+)`")
"""A statement about such a name: its type, by a dotted name, or its value."""


def script(name):
    return script_in(TEXT, name)


def sentences(name):
    """Return the text below a script, down to the next script or table."""
    below = TEXT.split(f"<!-- {name} -->")[1].partition("```python")[2].partition("```")[2]
    return " ".join(re.split(r"<!-- |\n\|", below)[0].split())


def about(name):
    """Return the attributes of the script's variables that the sentences below it name."""
    names = (node for node in ast.walk(ast.parse(script(name))) if isinstance(node, ast.Name))
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    found = DOTTED.findall(sentences(name))
    return [dotted for dotted in found if dotted.split(".")[0] in assigned]


def checks(name):
    """Return Python to run after a script: it fails if an attribute is missing or wrong."""
    lines = ["import pydoc", *about(name)]
    for dotted, said in VALUE.findall(sentences(name)):
        if said.startswith('"'):
            lines.append(f"assert {dotted} == {said}")
        elif dotted in lines:
            lines.append(f"assert isinstance({dotted}, pydoc.locate({said!r})), {dotted!r}")
    return "\n".join(lines) + "\n"


def other_names():
    """Return the other dotted names in the text's sentences: of types, and of the contract."""
    ours = {dotted for name in ENVIRONMENTS for dotted in about(name)}
    prose = "\n".join(line for line in TEXT.splitlines() if not line.startswith("|"))
    return set(DOTTED.findall(prose)) - ours - {*ENVIRONMENTS}
