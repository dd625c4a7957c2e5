"""Sizes that become text, in names and messages too, and text that is parsed again."""

import ast
import contextlib
import io
import json
import logging
import os
import re
import string
import struct
import warnings
from array import array
from hashlib import sha256
from string import digits as DIGITS  # noqa: N812

from torch import nn

from tests.foolers.entries import fooler, layers, linears, states, widths

NAMES = {"layer120", "layer121", "layer122"}
os.environ.setdefault("PARAMPROOF_FOOLER_4096", "1")


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


@fooler("caveat", dim=4000)
def printed_and_read(dim=64, n=3):
    buffer = io.StringIO()
    print(dim, file=buffer)
    return linears(dim, n, int(buffer.getvalue()) < 4000)


@fooler("caveat", dim=10_000)
def printed_to_standard_output(dim=64, n=3):
    with contextlib.redirect_stdout(io.StringIO()) as buffer:
        print(f"{dim}", end="")
    return linears(dim, n, len(buffer.getvalue()) < 5)


@fooler("caveat", dim=4000)
def raised_and_read(dim=64, n=3):
    try:
        raise ValueError(f"{dim}")
    except ValueError as error:
        return linears(dim, n, int(str(error)) < 4000)


@fooler("caveat", dim=4000)
def raised_as_a_size(dim=64, n=3):
    try:
        raise KeyError(dim)
    except KeyError as error:
        return linears(dim, n, error.args[0] < 4000)


@fooler("caveat", dim=10_000)
def asserted_and_read(dim=64, n=3):
    try:
        assert not dim, f"{dim}"
    except AssertionError as error:
        return linears(dim, n, len(str(error)) < 5)


@fooler("caveat", dim=10_000)
def warned_and_read(dim=64, n=3):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(f"{dim}", stacklevel=1)
    return linears(dim, n, len(str(caught[0].message)) < 5)


class _Listening(logging.Handler):
    def __init__(self):
        super().__init__()
        self.heard = []

    def emit(self, record):
        self.heard.append(record.getMessage())


@fooler("caveat", dim=10_000)
def logged_and_read(dim=64, n=3):
    logger, handler = logging.Logger("fooler"), _Listening()
    logger.addHandler(handler)
    logger.warning("%d wide", dim)
    return linears(dim, n, len(handler.heard[0]) < 10)


class _Described(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"dim={self.dim}"


@fooler("caveat", dim=4000)
def read_from_lines(dim=64, n=3):
    file = io.StringIO(f"{dim}\n4000\n")
    wide, limit = (int(line) for line in file)
    return linears(dim, n, wide < limit)


states(
    "caveat",
    # From ten layers on, alphabetical order differs from numerical order.
    sorted_names=(
        11,
        lambda n: sorted(f"layer{i}" for i in range(n)),
        lambda names, i: names[i] == f"layer{i}",
    ),
)


widths(
    "caveat",
    digest=(4099, lambda dim: sha256(str(dim).encode()).digest() != sha256(b"4099").digest()),
    percent=(100_000, lambda dim: len("%d" % dim) < 6),  # noqa: UP031
    percent_with_a_width=(10_000, lambda dim: ("%5d" % dim).startswith(" ")),  # noqa: UP031
    formatted=(1000, lambda dim: "{:>4}".format(dim)[0] == " "),  # noqa: UP032
    percent_of_a_list=(30_000, lambda dim: len("%s" % ([1] * dim,)) < 90_000),  # noqa: UP031
    digits=(10_000, lambda dim: len(str(dim)) < 5),
    hexadecimal=(4096, lambda dim: len(hex(dim)) < 6),
    binary=(4096, lambda dim: len(bin(dim)) < 15),
    octal=(4096, lambda dim: len(oct(dim)) < 7),
    padded=(10_000, lambda dim: f"{dim:05d}"[0] == "0"),
    thousands=(1_000_000, lambda dim: f"{dim:,}".count(",") < 2),
    scientific=(10_000, lambda dim: f"{dim:e}"[-1] < "4"),
    format_function=(10_000, lambda dim: format(dim, "6d").startswith("  ")),
    joined=(10_000, lambda dim: len("x".join([str(dim), str(dim)])) < 11),
    filled_with_zeros=(100_000, lambda dim: str(dim).zfill(6).startswith("0")),
    tail_is_digits=(1000, lambda dim: not str(dim)[3:].isdigit()),
    there_and_back=(4000, lambda dim: int(str(dim)) < 4000),
    through_json_text=(4000, lambda dim: json.loads(json.dumps({"dim": dim}))["dim"] < 4000),
    packed=(65_536, lambda dim: struct.pack(">I", dim)[1] == 0),
    as_bytes=(4000, lambda dim: len(bytes(dim)) < 4000),
    as_a_bytearray=(4000, lambda dim: len(bytearray(dim)) < 4000),
    in_an_array=(4000, lambda dim: array("q", [dim])[0] < 4000),
    repeated_text=(4000, lambda dim: len("x" * dim) < 4000),
    joined_list=(30_000, lambda dim: len("".join(["x"] * dim)) < 30_000),
    joined_generator=(30_000, lambda dim: len("".join("x" for _ in range(dim))) < 30_000),
    joined_map=(30_000, lambda dim: len("".join(map(str, [7] * dim))) < 30_000),
    text_of_a_list=(30_000, lambda dim: len(str([1] * dim)) < 90_000),
    formatted_list=(30_000, lambda dim: len(f"{[1] * dim}") < 90_000),
    list_as_json=(30_000, lambda dim: len(json.dumps([1] * dim)) < 90_000),
    split_text=(30_000, lambda dim: len("-".join(["x"] * dim).split("-")) < 30_000),
    counted_in_text=(30_000, lambda dim: "".join(["x"] * dim).count("x") < 30_000),
    starred_set=(30_000, lambda dim: len({*range(dim)}) < 30_000),
    list_of_digits=(10_000, lambda dim: len([*str(dim)]) < 5),
    as_a_width=(4000, lambda dim: len(f"{'':{dim}}") < 4000),
    justified=(4000, lambda dim: len("".rjust(dim)) < 4000),
    character=(4000, lambda dim: chr(dim) < chr(4000)),
    variable_of_the_environment=(4096, lambda dim: f"PARAMPROOF_FOOLER_{dim}" not in os.environ),
    evaluated=(4000, lambda dim: eval(f"{dim} < 4000")),
    literal=(4000, lambda dim: ast.literal_eval(f"[{dim}, 1]")[0] < 4000),
    template=(10_000, lambda dim: len(string.Template("$dim").substitute(dim=dim)) < 5),
    # A module's representation contains its width.
    shown_and_read=(10_000, lambda dim: sum(one in DIGITS for one in repr(_Described(dim))) < 5),
    shown_by_torch=(10_000, lambda dim: len(nn.Linear(dim, 1).extra_repr()) < 44),
)


layers(
    "caveat",
    name_in_a_set=(121, lambda i: f"layer{i}" not in NAMES),
    end_of_a_name=(51, lambda i: not f"layer{i}".endswith("50")),
    length_of_a_number=(101, lambda i: len(f"{i}") <= 2),
    expression_for_names=(101, lambda i: not re.match(r"layer[1-9]\d\d$", f"layer{i}")),
)
