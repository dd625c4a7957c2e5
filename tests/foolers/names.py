"""Names of layers, and text that is composed of sizes and evaluated."""

import ast
import hashlib
import os
import re
import string

from torch import nn

from tests.foolers.entries import each, fooler, layers, linears, widths

NAMES = {"layer120", "layer121", "layer122"}
os.environ.setdefault("PARAMPROOF_FOOLER_4096", "1")


@fooler("caveat", n=11)
def sorted_names(dim=16, n=3):
    """From ten layers on, alphabetical order differs from numerical order."""
    names = sorted(f"layer{i}" for i in range(n))
    return each(dim, n, lambda i: names[i] == f"layer{i}")


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


widths(
    variable_of_the_environment=(
        "caveat",
        4096,
        lambda dim: f"PARAMPROOF_FOOLER_{dim}" not in os.environ,
    ),
    evaluated=("caveat", 4000, lambda dim: eval(f"{dim} < 4000")),
    literal=("caveat", 4000, lambda dim: ast.literal_eval(f"[{dim}, 1]")[0] < 4000),
    template=("caveat", 10_000, lambda dim: len(string.Template("$dim").substitute(dim=dim)) < 5),
)


layers(
    name_in_a_set=("caveat", 121, lambda i: f"layer{i}" not in NAMES),
    end_of_a_name=("caveat", 51, lambda i: not f"layer{i}".endswith("50")),
    length_of_a_number=("caveat", 101, lambda i: len(f"{i}") <= 2),
    expression_for_names=("caveat", 101, lambda i: not re.match(r"layer[1-9]\d\d$", f"layer{i}")),
)
