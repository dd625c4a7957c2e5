"""Names of layers, and text that is composed of sizes and evaluated."""

import ast
import hashlib
import os
import re
import string

from torch import nn

from tests.foolers.entries import each, fooler, linears

NAMES = {"layer120", "layer121", "layer122"}
os.environ.setdefault("PARAMPROOF_FOOLER_4096", "1")


@fooler("caveat", n=121)
def name_in_a_set(dim=16, n=3):
    return each(dim, n, lambda i: f"layer{i}" not in NAMES)


@fooler("caveat", n=11)
def sorted_names(dim=16, n=3):
    """From ten layers on, alphabetical order differs from numerical order."""
    names = sorted(f"layer{i}" for i in range(n))
    return each(dim, n, lambda i: names[i] == f"layer{i}")


@fooler("caveat", n=51)
def end_of_a_name(dim=16, n=3):
    return each(dim, n, lambda i: not f"layer{i}".endswith("50"))


@fooler("caveat", n=101)
def length_of_a_number(dim=16, n=3):
    return each(dim, n, lambda i: len(f"{i}") <= 2)


@fooler("caveat", n=101)
def expression_for_names(dim=16, n=3):
    return each(dim, n, lambda i: not re.match(r"layer[1-9]\d\d$", f"layer{i}"))


@fooler("caveat", dim=4096)
def variable_of_the_environment(dim=64, n=3):
    return linears(dim, n, f"PARAMPROOF_FOOLER_{dim}" not in os.environ)


@fooler("caveat", dim=4000)
def evaluated(dim=64, n=3):
    return linears(dim, n, eval(f"{dim} < 4000"))


@fooler("caveat", dim=4000)
def literal(dim=64, n=3):
    return linears(dim, n, ast.literal_eval(f"[{dim}, 1]")[0] < 4000)


@fooler("caveat", dim=10_000)
def template(dim=64, n=3):
    return linears(dim, n, len(string.Template("$dim").substitute(dim=dim)) < 5)


@fooler("caveat", dim=4099)
def digest(dim=64, n=3):
    known = hashlib.sha256(b"4099").hexdigest()
    return linears(dim, n, hashlib.sha256(str(dim).encode()).hexdigest() != known)


@fooler("caveat", dim=10_000)
def in_the_name_of_an_attribute(dim=64, n=3):
    model = nn.Module()
    setattr(model, f"width{dim}", True)
    model.layers = linears(dim, n, all(len(name) < 10 for name in vars(model) if "width" in name))
    return model


@fooler("caveat", n=101)
def in_the_name_of_a_module(dim=16, n=3):
    """The names of modules are not shapes, but code can read them."""
    model = nn.Module()
    for i in range(n):
        model.add_module(f"layer{i}", nn.Linear(dim, dim))
    for name, layer in list(model.named_children()):
        if len(name) > 7:
            layer.norm = nn.LayerNorm(dim)
    return model
