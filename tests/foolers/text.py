"""Sizes that become text, and text that determines branches."""

import json
import struct
from array import array

from tests.foolers.entries import fooler, linears, widths


@fooler("caveat", dim=100_000)
def percent(dim=64, n=3):
    return linears(dim, n, len("%d" % dim) < 6)  # noqa: UP031


@fooler("caveat", dim=10_000)
def percent_with_a_width(dim=64, n=3):
    return linears(dim, n, ("%5d" % dim).startswith(" "))  # noqa: UP031


@fooler("caveat", dim=1000)
def formatted(dim=64, n=3):
    return linears(dim, n, "{:>4}".format(dim)[0] == " ")  # noqa: UP032


@fooler("caveat", dim=30_000)
def percent_of_a_list(dim=64, n=3):
    return linears(dim, n, len("%s" % ([1] * dim,)) < 90_000)  # noqa: UP031


widths(
    digits=("caveat", 10_000, lambda dim: len(str(dim)) < 5),
    hexadecimal=("caveat", 4096, lambda dim: len(hex(dim)) < 6),
    binary=("caveat", 4096, lambda dim: len(bin(dim)) < 15),
    octal=("caveat", 4096, lambda dim: len(oct(dim)) < 7),
    padded=("caveat", 10_000, lambda dim: f"{dim:05d}"[0] == "0"),
    thousands=("caveat", 1_000_000, lambda dim: f"{dim:,}".count(",") < 2),
    scientific=("caveat", 10_000, lambda dim: f"{dim:e}"[-1] < "4"),
    format_function=("caveat", 10_000, lambda dim: format(dim, "6d").startswith("  ")),
    joined=("caveat", 10_000, lambda dim: len("x".join([str(dim), str(dim)])) < 11),
    filled_with_zeros=("caveat", 100_000, lambda dim: str(dim).zfill(6).startswith("0")),
    tail_is_digits=("caveat", 1000, lambda dim: not str(dim)[3:].isdigit()),
    there_and_back=("caveat", 4000, lambda dim: int(str(dim)) < 4000),
    through_json_text=(
        "caveat",
        4000,
        lambda dim: json.loads(json.dumps({"dim": dim}))["dim"] < 4000,
    ),
    packed=("caveat", 65_536, lambda dim: struct.pack(">I", dim)[1] == 0),
    as_bytes=("caveat", 4000, lambda dim: len(bytes(dim)) < 4000),
    as_a_bytearray=("caveat", 4000, lambda dim: len(bytearray(dim)) < 4000),
    in_an_array=("caveat", 4000, lambda dim: array("q", [dim])[0] < 4000),
    repeated_text=("caveat", 4000, lambda dim: len("x" * dim) < 4000),
    joined_list=("caveat", 30_000, lambda dim: len("".join(["x"] * dim)) < 30_000),
    joined_generator=("caveat", 30_000, lambda dim: len("".join("x" for _ in range(dim))) < 30_000),
    joined_map=("caveat", 30_000, lambda dim: len("".join(map(str, [7] * dim))) < 30_000),
    text_of_a_list=("caveat", 30_000, lambda dim: len(str([1] * dim)) < 90_000),
    formatted_list=("caveat", 30_000, lambda dim: len(f"{[1] * dim}") < 90_000),
    list_as_json=("caveat", 30_000, lambda dim: len(json.dumps([1] * dim)) < 90_000),
    split_text=("caveat", 30_000, lambda dim: len("-".join(["x"] * dim).split("-")) < 30_000),
    counted_in_text=("caveat", 30_000, lambda dim: "".join(["x"] * dim).count("x") < 30_000),
    starred_set=("caveat", 30_000, lambda dim: len({*range(dim)}) < 30_000),
    list_of_digits=("caveat", 10_000, lambda dim: len([*str(dim)]) < 5),
    as_a_width=("caveat", 4000, lambda dim: len(f"{'':{dim}}") < 4000),
    justified=("caveat", 4000, lambda dim: len("".rjust(dim)) < 4000),
    character=("caveat", 4000, lambda dim: chr(dim) < chr(4000)),
)
